#include "tf_plugin/rewrite/rewrite_pass.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "config/status_testing.h"
#include "config/text_units.h"
#include "gtest/gtest.h"
#include "tensorflow/core/framework/function.h"
#include "tensorflow/core/framework/node_def_util.h"
#include "tf_plugin/device/device_memories.h"
#include "tf_plugin/device/limited_device.h"
#include "tf_plugin/device/marked_graph.h"
#include "tf_plugin/rewrite/program_rewriter.h"
#include "tf_plugin/rewrite/program_text.h"
#include "tf_plugin/rewrite/step_function.h"
#include "tf_plugin/testing/graph_builder.h"
#include "tf_plugin/testing/graph_session.h"
#include "tf_plugin/testing/training_graph.h"

namespace str::rewrite {
namespace {

using tensorflow::Graph;
using tensorflow::Node;
using testing::FindNode;
using testing::GraphBuilder;
using testing::GraphSession;
using Strings = std::vector<std::string>;

constexpr int64_t kKiB = 1024;

[[maybe_unused]] const bool registered = [] {
  device::RegisterLimitedDevice(device::kNoLimit);
  return true;
}();

int Count(const std::string& text, const std::string& part) {
  int count = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

int OwnNodes(const Graph& graph) {
  const auto nodes = graph.op_nodes();
  return static_cast<int>(std::count_if(nodes.begin(), nodes.end(),
                                        [](const Node* node) { return absl::StartsWith(node->name(), kNodePrefix); }));
}

// Names of the nodes that stand for a whole step.
Strings StepNodes(const Graph& graph) {
  Strings names;
  for (const Node* node : graph.op_nodes()) {
    if (node->type_string() == kernels::kStep) names.push_back(node->name());
  }
  return names;
}

bool AnyMarked(const Graph& graph) {
  const auto nodes = graph.op_nodes();
  return std::any_of(nodes.begin(), nodes.end(), [](const Node* node) { return device::IsMarked(*node); });
}

class RewritePassTest : public ::testing::Test {
 protected:
  // Rows differ from test to test, and with them fingerprints: what was said once is not said again.
  RewritePassTest() {
    static int rows = 256;
    rows_ = ++rows;
    GraphBuilder b;
    testing::BuildTraining(b, rows_, 256);
    graph_ = b.Release();
  }

  config::StrategyFile Program(const Strings& steps) { return ProgramFor(graph::MakeGraphView(*graph_), steps); }

  void Use(const config::StrategyFile& strategy) {
    strategies_.by_fingerprint[strategy.graph_fingerprint()] = {"plan.conf",
                                                                std::make_shared<const config::StrategyFile>(strategy)};
  }

  // What is said on stderr meanwhile is in said_.
  absl::Status Rewrite(bool strict = false, const TierLimits& limits = {}) {
    ::testing::internal::CaptureStderr();
    absl::Status status = RewriteGraph(strategies_, {strict, /*verify=*/true, limits}, graph_);
    said_ = ::testing::internal::GetCapturedStderr();
    return status;
  }

  // The graph with the program in it.
  std::unique_ptr<Graph> Planned() {
    absl::StatusOr<PlannedGraph> planned = PlanGraph(strategies_, {/*strict=*/true}, *graph_);
    EXPECT_OK(planned.status());
    return std::move(planned->graph);
  }

  // Nothing was done to the graph.
  void ExpectUntouched() {
    EXPECT_EQ(OwnNodes(*graph_), 0);
    EXPECT_FALSE(AnyMarked(*graph_));
    EXPECT_EQ(testing::InputsOf(*FindNode(*graph_, "r")), Strings({"h:0"}));
  }

  // Trains with the graph, which is gone then; returns what was said.
  std::string Train(int steps) {
    GraphBuilder b(std::move(graph_));
    AddWeights(b);
    GraphSession session(b.graph());
    EXPECT_OK(session.Run({}, {"start1", "start2"}).status());
    const Strings step = StepNodes(b.graph()).empty() ? Strings({"u1", "u2"}) : StepNodes(b.graph());
    ::testing::internal::CaptureStderr();
    for (int i = 0; i < steps; ++i) EXPECT_OK(session.Run({}, step).status());
    return ::testing::internal::GetCapturedStderr();
  }

  // The variables are named in the step; a step that was wrapped has them inside.
  static void AddWeights(GraphBuilder& b) {
    if (FindNode(b.graph(), "v1") == nullptr) {
      b.Variable("v1", {256, 256});
      b.Variable("v2", {256, 64});
    }
    testing::AddWeights(b, 256);
  }

  int rows_ = 0;
  std::unique_ptr<Graph> graph_;
  Strategies strategies_;
  std::string said_;
};

// h is recomputed, r goes out and comes back.
Strings FullProgram() {
  return {
      "run v1", "run v2",  "run w1",      "run h",  "run r",  "swap_out r:0", "run w2", "run y",  "swap_out_wait r:0",
      "run e",  "rerun h", "swap_in r:0", "run g2", "run dr", "run dh",       "run g1", "run d1", "run d2",
      "run u1", "run u2"};
}

TEST_F(RewritePassTest, TheStrategyOfTheGraphIsApplied) {
  Use(Program(FullProgram()));
  EXPECT_OK(Rewrite());
  EXPECT_EQ(said_, "") << "what was done is said when it ran";
  EXPECT_EQ(graph_->num_op_nodes(), 1) << "one node stands for the step";
  EXPECT_TRUE(IsWrapped(*graph_));
}

TEST_F(RewritePassTest, NodesAreMarkedWithTheirStepOfTheProgram) {
  Use(Program(FullProgram()));
  const std::unique_ptr<Graph> planned = Planned();
  EXPECT_EQ(OwnNodes(*planned), 6) << "rerun, swap out, its wait, swap in, its wait, end of the chain";
  EXPECT_EQ(device::FindMark(FindNode(*planned, "h")->def()).index, 3);
  EXPECT_FALSE(device::IsMarked(*FindNode(*planned, "x"))) << "not part of the program";
}

TEST_F(RewritePassTest, AfterTheFirstStepItIsSaidWhatWasDone) {
  config::StrategyFile strategy = Program(FullProgram());
  strategy.set_predicted_peak_bytes(3 * kKiB);
  strategy.set_external_bytes(2 * kKiB);
  Use(strategy);
  EXPECT_OK(Rewrite());
  const std::string said = Train(3);
  EXPECT_EQ(Count(said, "STR-"), 1) << "once, not in every step: " << said;
  EXPECT_TRUE(absl::StartsWith(said, absl::StrCat("STR-3001 applied: 1 recomputed, 1 swapped (",
                                                  config::FormatBytes(rows_ * 256 * 4), " a step), 0 refused. ")))
      << said;
  EXPECT_TRUE(absl::StrContains(said, "Predicted peak 3.00 KiB (3072 bytes), measured ")) << said;
  EXPECT_TRUE(absl::StrContains(said, "(planned 2.00 KiB (2048 bytes))")) << said;
  EXPECT_TRUE(absl::StrContains(said, strategy.graph_fingerprint())) << said;
}

TEST_F(RewritePassTest, BytesOfATensorWithUnknownBatchAreThoseThatWereCopied) {
  GraphBuilder b(std::move(graph_));
  b.Add("PlaceholderWithDefault", "batch", {"x"}, {{"shape", tensorflow::PartialTensorShape({-1, 256})}});
  b.Redirect("h", 0, "batch");
  b.Redirect("g1", 0, "batch");
  graph_ = b.Release();
  Strings program = FullProgram();
  program.insert(program.begin(), "run batch");
  Use(Program(program));
  EXPECT_OK(Rewrite());
  const std::string said = Train(2);
  EXPECT_TRUE(absl::StrContains(said, absl::StrCat("1 swapped (", config::FormatBytes(rows_ * 256 * 4), " a step)")))
      << said;
}

TEST_F(RewritePassTest, WhatGoesToTheDiskIsSaidToo) {
  Strings program = FullProgram();
  std::replace(program.begin(), program.end(), std::string("swap_out r:0"), std::string("swap_out_disk r:0"));
  Use(Program(program));
  EXPECT_OK(Rewrite());
  const std::string bytes = config::FormatBytes(rows_ * 256 * 4);
  EXPECT_TRUE(absl::StrContains(
      Train(2), absl::StrCat("1 swapped (", bytes, " a step, of which 1 to the disk, ", bytes, "), 0 refused")));
}

TEST_F(RewritePassTest, MoreThanATierMayTakeIsRefusedBeforehand) {
  Use(Program(FullProgram()));
  const int64_t bytes = rows_ * 256 * 4;
  EXPECT_TRUE(config::IsError(Rewrite(/*strict=*/true, {bytes - 1, std::nullopt}),
                              absl::StatusCode::kFailedPrecondition,
                              "STR-2005 plan.conf not used: its swapped tensors take"));
  EXPECT_OK(Rewrite(/*strict=*/false, {bytes - 1, std::nullopt}));
  EXPECT_TRUE(absl::StrContains(said_, "STR-2005")) << said_;
  ExpectUntouched();
  EXPECT_OK(Rewrite(/*strict=*/true, {bytes, 0}));
  EXPECT_TRUE(IsWrapped(*graph_));
}

TEST_F(RewritePassTest, TheMeasuredPeakIsTheStepsOwn) {
  Use(Program(testing::TrainingProgram()));
  EXPECT_OK(Rewrite());
  // Far above the step's peak, but before it.
  void* const before = device::SharedDeviceMemory()->AllocateRaw(64, 512 << 20);
  device::SharedDeviceMemory()->DeallocateRaw(before);
  GraphBuilder b(std::move(graph_));
  AddWeights(b);
  GraphSession session(b.graph());
  EXPECT_OK(session.Run({}, {"start1", "start2"}).status());
  device::SharedDeviceMemory()->ClearStats();
  ::testing::internal::CaptureStderr();
  EXPECT_OK(session.Run({}, StepNodes(b.graph())).status());
  const std::string said = ::testing::internal::GetCapturedStderr();
  const int64_t peak = device::SharedDeviceMemory()->GetStats()->peak_bytes_in_use;
  EXPECT_TRUE(absl::StrContains(said, absl::StrCat("measured ", config::FormatBytes(peak)))) << said << peak;
  EXPECT_TRUE(absl::StrContains(said, "WARNING: only the order of the nodes was changed")) << said;
}

TEST_F(RewritePassTest, MemoryGoesToItsPlaces) {
  config::StrategyFile strategy = Program(FullProgram());
  const int64_t activation_bytes = (rows_ * 256 * 4 + 255) / 256 * 256;
  int placed = 0;
  for (config::Step& step : *strategy.mutable_step()) {
    // Where h, dr and the two new instances lie; r and dh take over the buffers of h and dr.
    if (step.run() != "h" && step.run() != "dr" && step.rerun() != "h" && step.swap_in() != "r:0") continue;
    config::Place& place = *step.add_place();
    place.set_bytes(activation_bytes);
    place.set_offset((int64_t{1} << 20) * placed++);
  }
  ASSERT_EQ(placed, 4);
  Use(strategy);
  EXPECT_OK(Rewrite());
  const std::string said = Train(1);
  // y, g2, g1, and in the first step copies of the weights, which start as constants: 64 KiB or more without a place.
  EXPECT_TRUE(absl::StrContains(said, "4 allocations placed as planned, 5 elsewhere")) << said;
}

TEST_F(RewritePassTest, ARewrittenGraphIsLeftAlone) {
  Use(Program(FullProgram()));
  EXPECT_OK(Rewrite());
  const Graph* const rewritten = graph_.get();
  const int nodes = graph_->num_op_nodes();
  EXPECT_OK(Rewrite(/*strict=*/true));
  EXPECT_EQ(graph_.get(), rewritten);
  EXPECT_EQ(graph_->num_op_nodes(), nodes);
}

TEST_F(RewritePassTest, EachStepHasANameOfItsOwn) {
  // A session keeps stateful kernels by the node's name.
  Use(Program(FullProgram()));
  const std::unique_ptr<Graph> original = std::make_unique<Graph>(graph_->flib_def());
  original->Copy(*graph_);
  EXPECT_OK(Rewrite());
  const Strings first = StepNodes(*graph_);
  graph_->Clear();
  graph_->Copy(*original);
  EXPECT_OK(Rewrite());
  EXPECT_EQ(first.size(), 1);
  EXPECT_NE(StepNodes(*graph_), first);
}

TEST_F(RewritePassTest, NothingIsLeftOfAStepThatTensorFlowLetGoOf) {
  Use(Program(FullProgram()));
  const int before = kernels::CountPlannedSteps();
  EXPECT_OK(Rewrite());
  std::string name;
  EXPECT_OK(tensorflow::GetNodeAttr(FindNode(*graph_, StepNodes(*graph_)[0])->attrs(), kernels::kStepNameAttr, &name));
  EXPECT_EQ(kernels::CountPlannedSteps(), before + 1) << "kept until its kernel is made";
  EXPECT_NE(device::FindObserver(name), nullptr);
  Train(2);
  EXPECT_EQ(kernels::CountPlannedSteps(), before);
  EXPECT_EQ(device::FindObserver(name), nullptr);
}

TEST_F(RewritePassTest, AStepWithTwoResultsOfOneNumberIsRefused) {
  GraphBuilder b(std::move(graph_));
  b.Add("_Retval", "first", {"e"}, {{"index", 1}});
  b.Add("_Retval", "second", {"e"}, {{"index", 1}});
  graph_ = b.Release();
  Use(Program(FullProgram()));
  EXPECT_OK(Rewrite());
  EXPECT_TRUE(absl::StrContains(said_, "STR-2003 plan.conf not used: two '_Retval' nodes have index 1")) << said_;
  ExpectUntouched();
  EXPECT_TRUE(config::IsError(Rewrite(/*strict=*/true), absl::StatusCode::kFailedPrecondition, "two '_Retval'"));
}

TEST_F(RewritePassTest, ResultsKeepTheirNumbersWhereOtherDevicesHaveSome) {
  GraphBuilder b(std::move(graph_));
  b.Add("_Retval", "third", {"e"}, {{"index", 2}});
  graph_ = b.Release();
  Use(Program(FullProgram()));
  EXPECT_OK(Rewrite());
  const tensorflow::Node* const third = FindNode(*graph_, "third");
  ASSERT_NE(third, nullptr);
  int index = 0;
  EXPECT_OK(tensorflow::GetNodeAttr(third->attrs(), "index", &index));
  EXPECT_EQ(index, 2);
  EXPECT_EQ(StepNodes(*graph_).size(), 1);
}

TEST_F(RewritePassTest, SmallGraphsAreNotLookedAt) {
  GraphBuilder b;
  b.Floats("x", {4});
  b.Add("Exp", "y", {"x"});
  graph_ = b.Release();
  Use(Program({"run y"}));
  EXPECT_OK(Rewrite());
  EXPECT_FALSE(AnyMarked(*graph_));
}

TEST_F(RewritePassTest, WithoutStrategiesNothingHappens) {
  EXPECT_OK(Rewrite());
  EXPECT_OK(Rewrite(/*strict=*/true));
  EXPECT_EQ(said_, "");
  ExpectUntouched();
}

TEST_F(RewritePassTest, AFileThatCouldNotBeReadStopsStrictTraining) {
  strategies_.error = absl::NotFoundError("plan.conf: no such file");
  EXPECT_OK(Rewrite());
  EXPECT_TRUE(config::IsError(Rewrite(/*strict=*/true), absl::StatusCode::kNotFound, "plan.conf"));
  ExpectUntouched();
}

TEST_F(RewritePassTest, AStrategyForAnotherGraphIsRefusedOnceWithTheDifference) {
  config::StrategyFile strategy = Program(FullProgram());
  strategy.set_graph_fingerprint("00000000000000aa");
  strategy.mutable_step(3)->set_output(0, "float[1,2]");
  Use(strategy);
  EXPECT_OK(Rewrite());
  EXPECT_TRUE(absl::StartsWith(said_,
                               "STR-2003 plan.conf does not fit this graph: made for fingerprint "
                               "00000000000000aa"))
      << said_;
  EXPECT_TRUE(absl::StrContains(said_, "node 'h' output 0 is float[1,2] in the strategy")) << said_;
  EXPECT_TRUE(absl::StrContains(said_, "Training goes on without it.")) << said_;
  EXPECT_OK(Rewrite());
  EXPECT_EQ(said_, "");
  ExpectUntouched();
  EXPECT_TRUE(config::IsError(Rewrite(/*strict=*/true), absl::StatusCode::kFailedPrecondition, "STR-2003 plan.conf"));
}

TEST_F(RewritePassTest, OtherGraphsThanTrainingAreNoReasonToSpeak) {
  config::StrategyFile strategy = Program(FullProgram());
  strategy.set_graph_fingerprint("00000000000000aa");
  Use(strategy);
  GraphBuilder b;
  b.Floats("x0", {4});
  for (int i = 1; i < 20; ++i) b.Add("Exp", absl::StrCat("x", i), {absl::StrCat("x", i - 1)});
  graph_ = b.Release();
  EXPECT_OK(Rewrite(/*strict=*/true));
  EXPECT_EQ(said_, "");
}

TEST_F(RewritePassTest, AProgramThatCannotBeDoneLeavesTheGraphAsItWas) {
  Strings program = testing::TrainingProgram();
  std::swap(program[4], program[5]);  // r before h
  Use(Program(program));
  EXPECT_OK(Rewrite());
  EXPECT_TRUE(absl::StartsWith(said_, "STR-2003 plan.conf not used: node ")) << said_;
  ExpectUntouched();
  EXPECT_TRUE(config::IsError(Rewrite(/*strict=*/true), absl::StatusCode::kFailedPrecondition, "cycle"));
  EXPECT_EQ(Train(1), "");
}

TEST_F(RewritePassTest, RefusedActionsAreNamedAndCounted) {
  Strings program = testing::TrainingProgram();
  program.push_back("rerun w1");
  Use(Program(program));
  EXPECT_OK(Rewrite());
  EXPECT_EQ(said_,
            "STR-2004 plan.conf: refused rerun of 'w1': this node may not run twice (RECOMPUTE_READS_VARIABLE)\n");
  EXPECT_TRUE(absl::StrContains(Train(1), "1 refused [rerun of 'w1': ")) << said_;
}

TEST_F(RewritePassTest, StepsOverSeveralDevicesAreRefused) {
  GraphBuilder b(std::move(graph_));
  b.Add("_Send", "send", {"e"},
        {{"tensor_name", "e"},
         {"send_device", "/job:localhost/replica:0/task:0/device:CPU:0"},
         {"send_device_incarnation", int64_t{1}},
         {"recv_device", "/job:localhost/replica:0/task:0/device:GPU:0"}});
  graph_ = b.Release();
  Strings program = testing::TrainingProgram();
  program.push_back("run send");
  Use(Program(program));
  EXPECT_OK(Rewrite());
  EXPECT_TRUE(absl::StrContains(said_, "node 'send' exchanges tensors with another device")) << said_;
  ExpectUntouched();
}

TEST_F(RewritePassTest, AStrategyForAnotherDeviceIsRefused) {
  config::StrategyFile strategy = Program(FullProgram());
  strategy.set_device("GPU:1");
  Use(strategy);
  EXPECT_OK(Rewrite());
  EXPECT_TRUE(absl::StrContains(said_, "plan.conf not used: made for GPU:1, this graph runs on CPU:0")) << said_;
  ExpectUntouched();
}

// A step over two devices: the GPU sends "h", the CPU sends something made of it back.
class TwoDevicesTest : public RewritePassTest {
 protected:
  static constexpr char kCpu[] = "/job:localhost/replica:0/task:0/device:CPU:0";
  static constexpr char kGpu[] = "/job:localhost/replica:0/task:0/device:GPU:0";

  TwoDevicesTest() {
    // There is no GPU here: its memory would be another one, and nothing of it is run.
    device::SetDeviceMemory("GPU:0", device::SharedDeviceMemory());
    GraphBuilder gpu(std::move(graph_)), cpu;
    gpu.Add("_Send", "send_a", {"h"}, Ends("a", kGpu, kCpu));
    Receive(gpu, "b", kCpu, kGpu);
    for (Node* node : gpu.graph().op_nodes()) node->set_assigned_device_name(kGpu);
    Receive(cpu, "a", kGpu, kCpu);
    cpu.Add("Neg", "b", {"recv_a"});
    cpu.Add("_Send", "send_b", {"b"}, Ends("b", kCpu, kGpu));
    partitions_[kGpu] = gpu.Release();
    partitions_[kCpu] = cpu.Release();
  }

  static std::vector<testing::Attr> Ends(const std::string& tensor, const char* from, const char* to) {
    return {{"tensor_name", tensor},
            {"send_device", std::string(from)},
            {"send_device_incarnation", int64_t{1}},
            {"recv_device", std::string(to)}};
  }

  static void Receive(GraphBuilder& b, const std::string& tensor, const char* from, const char* to) {
    std::vector<testing::Attr> attrs = Ends(tensor, from, to);
    attrs.push_back({"tensor_type", tensorflow::DT_FLOAT});
    b.Add("_Recv", absl::StrCat("recv_", tensor), {}, attrs);
  }

  // Rewrites with a program that ends with these steps; returns what was said.
  std::string RewriteWith(const Strings& last) {
    Strings program = testing::TrainingProgram();
    program.insert(program.end(), last.begin(), last.end());
    const graph::Partitions step = {{kCpu, partitions_[kCpu].get()}, {kGpu, partitions_[kGpu].get()}};
    config::StrategyFile strategy =
        ProgramFor(graph::MakeGraphView(*partitions_[kGpu], graph::SurroundingsOf(step, kGpu)), program);
    strategy.set_device("GPU:0");
    Use(strategy);
    ::testing::internal::CaptureStderr();
    EXPECT_OK(RewritePartitions(strategies_, {}, partitions_));
    return ::testing::internal::GetCapturedStderr();
  }

  PartitionGraphs partitions_;
};

TEST_F(TwoDevicesTest, AnOrderThatTheOtherDeviceCanFollowIsUsed) {
  EXPECT_EQ(RewriteWith({"run send_a", "run recv_b"}), "");
  EXPECT_EQ(StepNodes(*partitions_[kGpu]).size(), 1);
  EXPECT_TRUE(StepNodes(*partitions_[kCpu]).empty());
}

TEST_F(TwoDevicesTest, AnOrderThatWaitsForItselfThroughTheOtherDeviceIsRefused) {
  const std::string said = RewriteWith({"run recv_b", "run send_a"});
  EXPECT_TRUE(absl::StrContains(said, "plan.conf not used: in this order the devices would wait for each other"))
      << said;
  EXPECT_TRUE(StepNodes(*partitions_[kGpu]).empty());
  EXPECT_FALSE(AnyMarked(*partitions_[kGpu]));
}

TEST_F(RewritePassTest, TheRewrittenGraphKnowsTheFunctionsOfTheOriginal) {
  tensorflow::FunctionDef function;
  function.mutable_signature()->set_name("function_of_the_graph");
  EXPECT_OK(graph_->AddFunctionDef(function, /*stack_traces=*/{}));
  Use(Program(FullProgram()));
  const std::unique_ptr<Graph> planned = Planned();
  EXPECT_NE(planned->flib_def().Find("function_of_the_graph"), nullptr);
  EXPECT_OK(Rewrite());
  EXPECT_NE(graph_->flib_def().Find("function_of_the_graph"), nullptr);
  // Looked up in what the graph itself holds: the original is gone.
  const tensorflow::OpDef* definition = nullptr;
  EXPECT_OK(graph_->op_registry()->LookUpOpDef("MatMul", &definition));
}

}  // namespace
}  // namespace str::rewrite
