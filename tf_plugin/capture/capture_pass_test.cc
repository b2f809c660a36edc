#include "tf_plugin/capture/capture_pass.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "config/atomic_file.h"
#include "config/graph_io.h"
#include "config/status_testing.h"
#include "gtest/gtest.h"
#include "tf_plugin/device/device_memories.h"
#include "tf_plugin/device/limited_device.h"
#include "tf_plugin/device/marked_graph.h"
#include "tf_plugin/kernels/copy_rates.h"
#include "tf_plugin/testing/graph_builder.h"
#include "tf_plugin/testing/graph_session.h"

namespace str::capture {
namespace {

using tensorflow::DT_FLOAT;
using tensorflow::PartialTensorShape;
using testing::GraphBuilder;
using testing::GraphSession;

[[maybe_unused]] const bool registered = [] {
  device::RegisterLimitedDevice(device::kNoLimit);
  return true;
}();

class CapturePassTest : public ::testing::Test {
 protected:
  CapturePassTest()
      : folder_(
            absl::StrCat(::testing::TempDir(), "/", ::testing::UnitTest::GetInstance()->current_test_info()->name())) {
    std::filesystem::remove_all(folder_);
    // Another width for each test, so that each has a fingerprint of its own: observers are the process's.
    static int width = 30;
    width_ = ++width;
  }

  // One step of "training": v -= 0.1 * gradient, with two nodes that could run side by side.
  void BuildStep(GraphBuilder& b) {
    b.Variable("v", {width_});
    b.Ints("dims", {width_});
    b.Constant("rate", tensorflow::Tensor(0.1f));
    b.Add("RandomUniform", "batch", {"dims"}, {{"dtype", DT_FLOAT}});
    b.Add("Exp", "left", {"batch"});
    b.Add("Tanh", "right", {"batch"});
    b.Add("Mul", "gradient", {"left", "right"});
    b.Add("Mul", "delta", {"gradient", "rate"});
    b.Add("AssignSubVariableOp", "update", {"v", "delta"});
  }

  // v starts as zeros, in a step of its own.
  void BuildStart(GraphBuilder& b) {
    tensorflow::Tensor zeros(DT_FLOAT, {width_});
    zeros.flat<float>().setZero();
    b.Constant("zeros", zeros);
    b.Add("AssignVariableOp", "start", {"v", "zeros"});
  }

  config::GraphFile Captured() {
    std::vector<std::string> files;
    for (const auto& file : std::filesystem::directory_iterator(folder_)) {
      if (file.path().extension() == ".graph") files.push_back(file.path().string());
    }
    EXPECT_EQ(files.size(), 1);
    if (files.size() != 1) return {};
    const absl::StatusOr<config::GraphFile> graph = config::ReadGraph(files[0]);
    EXPECT_TRUE(graph.ok()) << graph.status();
    return graph.value_or(config::GraphFile());
  }

  const std::string folder_;
  int width_ = 0;
};

const config::Node* Find(const config::GraphFile& graph, const std::string& name) {
  for (const config::Node& node : graph.node()) {
    if (node.name() == name) return &node;
  }
  ADD_FAILURE() << "no node " << name;
  return &config::Node::default_instance();
}

TEST_F(CapturePassTest, StepsAreMeasuredAsTheyRun) {
  GraphBuilder b;
  BuildStep(b);
  tensorflow::Graph& graph = b.graph();
  CaptureByRunning(graph::MakeGraphView(graph), "step", "CPU:0", WriteTo(folder_));
  BuildStart(b);
  GraphSession session(b.graph());
  EXPECT_OK(session.Run({}, {"start"}).status());
  EXPECT_FALSE(std::filesystem::exists(folder_)) << "nothing was measured yet";
  for (int i = 0; i < 3; ++i) EXPECT_OK(session.Run({}, {"left", "right", "update"}).status());

  const config::GraphFile captured = Captured();
  EXPECT_EQ(captured.name(), "step");
  EXPECT_EQ(captured.steps_measured(), 3);
  EXPECT_GT(captured.measured_peak_bytes(), captured.external_bytes());
  EXPECT_GT(captured.external_bytes(), 0) << "the variable and the constants";
  EXPECT_GT(captured.copy_out_bytes_per_second(), 0);
  EXPECT_GT(captured.copy_in_bytes_per_second(), 0);
  for (const char* node : {"batch", "left", "right", "gradient", "delta", "update"}) {
    EXPECT_GT(Find(captured, node)->time_ns(), 0) << node;
  }
  EXPECT_EQ(Find(captured, "batch")->output(0).bytes(), 4 * width_);
  EXPECT_TRUE(Find(captured, "right")->control().empty()) << "edges of the capture's own are not the graph's";
}

TEST_F(CapturePassTest, CopyRatesThatAreNotKnownAreReportedLeftOutAndMeasuredAgain) {
  // A device of its own: rates are measured once for each.
  kernels::SetCopyProbe("CPU:3", [] { return absl::ResourceExhaustedError("no room"); });
  device::SetDeviceMemory("CPU:3", device::SharedDeviceMemory());
  GraphBuilder b;
  BuildStep(b);
  CaptureByRunning(graph::MakeGraphView(b.graph()), "step", "CPU:3", WriteTo(folder_));
  BuildStart(b);
  GraphSession session(b.graph());
  EXPECT_OK(session.Run({}, {"start"}).status());
  ::testing::internal::CaptureStderr();
  for (int i = 0; i < 2; ++i) EXPECT_OK(session.Run({}, {"left", "right", "update"}).status());
  const std::string said = ::testing::internal::GetCapturedStderr();
  EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), 2) << said;
  EXPECT_NE(said.find("STR-3013 the speed of copies between CPU:3 and the host is not measured: no room"),
            std::string::npos)
      << said;
  EXPECT_EQ(Captured().copy_out_bytes_per_second(), 0);
  kernels::SetCopyProbe("CPU:3", [] { return kernels::CopyRates{12, 34}; });
  EXPECT_OK(session.Run({}, {"left", "right", "update"}).status());
  EXPECT_EQ(Captured().copy_out_bytes_per_second(), 12);
  EXPECT_EQ(Captured().copy_in_bytes_per_second(), 34);
}

TEST_F(CapturePassTest, TheGraphIsOnlyMarked) {
  GraphBuilder b;
  BuildStep(b);
  tensorflow::Graph& graph = b.graph();
  const graph::GraphView view = graph::MakeGraphView(graph);
  const int edges = graph.num_edges();
  CaptureByRunning(view, "step", "CPU:0", WriteTo(folder_));
  EXPECT_EQ(graph.num_edges(), edges) << "TensorFlow's own order is what is measured";
  int index = 0;
  for (const tensorflow::Node* node : view.order) {
    if (!device::IsMarked(*node)) continue;
    EXPECT_EQ(device::FindMark(node->def()).index, index++) << node->name();
  }
  EXPECT_EQ(index, 6) << "constants and the variable's handle are not computed";
}

TEST_F(CapturePassTest, NodesAreListedInTheOrderInWhichTheyRan) {
  GraphBuilder b;
  BuildStep(b);
  // Not what the names or the order of construction suggest.
  tensorflow::Graph& graph = b.graph();
  CaptureByRunning(graph::MakeGraphView(graph), "step", "CPU:0", WriteTo(folder_));
  graph.AddControlEdge(b.Find("right"), b.Find("left"));
  BuildStart(b);
  GraphSession session(b.graph());
  EXPECT_OK(session.Run({}, {"start"}).status());
  EXPECT_OK(session.Run({}, {"left", "right", "update"}).status());
  std::vector<std::string> order;
  const config::GraphFile captured = Captured();
  for (const config::Node& node : captured.node()) {
    if (node.time_ns() > 0) order.push_back(node.name());
  }
  EXPECT_EQ(order, std::vector<std::string>({"batch", "right", "left", "gradient", "delta", "update"}));
}

TEST_F(CapturePassTest, EnoughStepsAreEnough) {
  GraphBuilder b;
  BuildStep(b);
  tensorflow::Graph& graph = b.graph();
  CaptureByRunning(graph::MakeGraphView(graph), "step", "CPU:0", WriteTo(folder_));
  BuildStart(b);
  GraphSession session(b.graph());
  EXPECT_OK(session.Run({}, {"start"}).status());
  for (int i = 0; i < 9; ++i) EXPECT_OK(session.Run({}, {"left", "right", "update"}).status());
  EXPECT_EQ(Captured().steps_measured(), 6);
}

TEST_F(CapturePassTest, AFailedStepIsNotMeasured) {
  GraphBuilder b;
  BuildStep(b);
  tensorflow::Graph& graph = b.graph();
  CaptureByRunning(graph::MakeGraphView(graph), "step", "CPU:0", WriteTo(folder_));
  BuildStart(b);
  GraphSession session(b.graph());
  // The variable has no value yet.
  EXPECT_FALSE(session.Run({}, {"left", "right", "update"}).ok());
  EXPECT_OK(session.Run({}, {"start"}).status());
  for (int i = 0; i < 2; ++i) EXPECT_OK(session.Run({}, {"left", "right", "update"}).status());
  EXPECT_EQ(Captured().steps_measured(), 2);
}

TEST_F(CapturePassTest, AStepThatFailsInsideALoopIsNotMeasured) {
  GraphBuilder b;
  BuildStep(b);
  // Behind some nodes and before the update: for (i = 0; i < 2; ++i) read w.
  b.Variable("w", {width_});
  for (const auto& [name, value] : {std::pair<std::string, float>{"zero", 0.0f}, {"one", 1.0f}, {"limit", 2.0f}}) {
    b.Constant(name, tensorflow::Tensor(value));
  }
  b.Add("Enter", "i/enter", {"zero", "^gradient"}, {{"frame_name", "loop"}});
  for (const char* name : {"one", "limit", "w"}) {
    b.Add("Enter", absl::StrCat(name, "/enter"), {name}, {{"frame_name", "loop"}, {"is_constant", true}});
  }
  b.Add("Merge", "i/merge", {"i/enter", "i/enter"});
  b.Add("Less", "less", {"i/merge", "limit/enter"});
  b.Add("LoopCond", "cond", {"less"});
  b.Add("Switch", "i/switch", {"i/merge", "cond"});
  b.Add("Identity", "i/body", {"i/switch:1"});
  b.Add("ReadVariableOp", "read", {"w/enter", "^i/body"}, {{"dtype", DT_FLOAT}});
  b.Add("Add", "i/sum", {"i/body", "one/enter", "^read"});
  b.Add("NextIteration", "i/next", {"i/sum"});
  b.Redirect("i/merge", 1, "i/next");
  b.graph().AddControlEdge(b.Add("Exit", "i/exit", {"i/switch:0"}), b.Find("update"));
  CaptureByRunning(graph::MakeGraphView(b.graph()), "step", "CPU:0", WriteTo(folder_));
  BuildStart(b);
  b.Add("AssignVariableOp", "start_w", {"w", "zeros"});
  GraphSession session(b.graph());
  EXPECT_OK(session.Run({}, {"start"}).status());
  // w has no value yet.
  EXPECT_FALSE(session.Run({}, {"left", "right", "update"}).ok());
  EXPECT_OK(session.Run({}, {"start_w"}).status());
  for (int i = 0; i < 2; ++i) EXPECT_OK(session.Run({}, {"left", "right", "update"}).status());
  EXPECT_EQ(Captured().steps_measured(), 2);
}

TEST_F(CapturePassTest, TheSameGraphTracedAgainGoesOnWithTheSameProfile) {
  for (int i = 0; i < 2; ++i) {
    GraphBuilder b;
    BuildStep(b);
    tensorflow::Graph& graph = b.graph();
    CaptureByRunning(graph::MakeGraphView(graph), "step", "CPU:0", WriteTo(folder_));
    BuildStart(b);
    GraphSession session(b.graph());
    EXPECT_OK(session.Run({}, {"start"}).status());
    EXPECT_OK(session.Run({}, {"left", "right", "update"}).status());
  }
  EXPECT_EQ(Captured().steps_measured(), 2);
}

TEST_F(CapturePassTest, WithoutRunningTheStepIsCancelledAndTheFileThere) {
  GraphBuilder b;
  b.Argument("x", DT_FLOAT, PartialTensorShape({width_}));
  b.Add("Exp", "y", {"x"});
  const absl::Status status = CaptureWithoutRunning(graph::MakeGraphView(b.graph()), "step", "CPU:0", folder_);
  EXPECT_TRUE(config::IsError(status, absl::StatusCode::kCancelled, folder_)) << "says where the file is";
  const config::GraphFile captured = Captured();
  EXPECT_EQ(captured.steps_measured(), 0);
  EXPECT_EQ(captured.external_bytes(), 256);
  EXPECT_EQ(Find(captured, "y")->output(0).bytes(), 4 * width_);
  EXPECT_EQ(Find(captured, "y")->time_ns(), 0);
  EXPECT_GT(Find(captured, "y")->flops(), width_) << "a function of each element costs more than one operation";
}

TEST_F(CapturePassTest, WithoutRunningUnknownSizesAreRefused) {
  GraphBuilder b;
  b.Argument("x", DT_FLOAT, PartialTensorShape({-1}));
  EXPECT_TRUE(
      config::IsInvalid(CaptureWithoutRunning(graph::MakeGraphView(b.graph()), "step", "CPU:0", folder_), "node 'x'"));
  EXPECT_FALSE(std::filesystem::exists(folder_));
}

TEST_F(CapturePassTest, WithoutRunningAFolderThatCannotBeMadeIsAnError) {
  EXPECT_OK(config::WriteFileAtomically(folder_, "a file where the folder would be"));
  GraphBuilder b;
  b.Argument("x", DT_FLOAT, PartialTensorShape({width_}));
  b.Add("Exp", "y", {"x"});
  const absl::Status status = CaptureWithoutRunning(graph::MakeGraphView(b.graph()), "step", "CPU:0", folder_);
  EXPECT_FALSE(status.ok());
  EXPECT_FALSE(absl::IsCancelled(status)) << "Cancelled would say that the file is there";
}

}  // namespace
}  // namespace str::capture
