// Steps under STR_BUDGET, with a script in the place of the planner.
#include "tf_plugin/automatic/automatic_planning.h"

#include <cstdlib>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "config/atomic_file.h"
#include "config/graph_io.h"
#include "config/status_testing.h"
#include "gtest/gtest.h"
#include "tf_plugin/automatic/op_probe.h"
#include "tf_plugin/device/limited_device.h"
#include "tf_plugin/graph/graph_view.h"
#include "tf_plugin/testing/graph_builder.h"
#include "tf_plugin/testing/step_session.h"
#include "tf_plugin/testing/training_graph.h"

namespace str::automatic {
namespace {

using tensorflow::Graph;
using testing::BitEqual;
using testing::FindNode;
using testing::GraphBuilder;
using testing::InputsOf;
using testing::StepSession;

constexpr int kRows = 512;
constexpr int kWidth = 256;

[[maybe_unused]] const bool registered = [] {
  device::RegisterLimitedDevice(device::kNoLimit);
  return true;
}();

std::unique_ptr<Graph> BuildStep() {
  GraphBuilder b;
  testing::BuildTraining(b, kRows, kWidth);
  b.Add("_Retval", "result", {"e"}, {{"index", 0}});
  b.graph();
  return b.Release();
}

class AutomaticPlanningTest : public ::testing::Test {
 protected:
  AutomaticPlanningTest() { setenv("STR_CACHE_DIR", cache_.c_str(), 1); }
  ~AutomaticPlanningTest() override { std::filesystem::remove_all(cache_); }

  // A planner that runs these lines of shell.
  void SetPlanner(const std::string& lines) {
    const std::string path = absl::StrCat(cache_, "/planner");
    EXPECT_OK(config::WriteFileAtomically(path, absl::StrCat("#!/bin/sh\n", lines, "\n")));
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
    setenv("STR_PLANNER", path.c_str(), 1);
  }

  std::unique_ptr<StepSession> Start(bool strict = false) {
    std::unique_ptr<Graph> graph = BuildStep();
    AutomaticOptions options;
    options.budget.bytes = int64_t{1} << 30;
    options.device_limit_bytes = int64_t{2} << 30;
    options.rewrite.strict = strict;
    EXPECT_OK(PlanAutomatically(options, "step", "CPU:0", graph));
    return std::make_unique<StepSession>(*graph, kWidth);
  }

  // The file that the planner got.
  config::GraphFile Measured() {
    for (const auto& entry : std::filesystem::directory_iterator(cache_)) {
      if (entry.path().extension() != ".graph") continue;
      const auto graph = config::ReadGraph(entry.path().string());
      EXPECT_TRUE(graph.ok()) << graph.status();
      return *graph;
    }
    ADD_FAILURE() << "no graph in " << cache_;
    return {};
  }

  const std::string cache_ = absl::StrCat(::testing::TempDir(), "automatic");
};

TEST_F(AutomaticPlanningTest, TrainsOnWhereThePlannerFails) {
  SetPlanner("echo broken >&2; exit 1");
  StepSession plain(*BuildStep(), kWidth);
  const auto session = Start();
  for (int step = 0; step < 3; ++step) {
    const auto expected = plain.Run();
    const auto result = session->Run();
    ASSERT_TRUE(expected.ok() && result.ok()) << result.status();
    EXPECT_TRUE(BitEqual(*result, *expected));
  }
  EXPECT_TRUE(BitEqual(session->Weights()[0], plain.Weights()[0]));
}

TEST_F(AutomaticPlanningTest, StopsWhereThePlannerFailsIfStrict) {
  SetPlanner("echo broken >&2; exit 1");
  const auto result = Start(/*strict=*/true)->Run();
  EXPECT_TRUE(config::IsError(result.status(), absl::StatusCode::kFailedPrecondition, "STR-2008"));
  EXPECT_TRUE(absl::StrContains(result.status().message(), "broken"));
}

TEST_F(AutomaticPlanningTest, StopsWhereTheBudgetCannotBeMet) {
  SetPlanner("printf 'STR-1001: no\\n  smallest feasible budget: 2.00 GiB (2147483648 bytes)\\n  try: more\\n' >&2; exit 2");
  const auto session = Start();
  const auto result = session->Run();
  EXPECT_TRUE(config::IsError(result.status(), absl::StatusCode::kResourceExhausted, "STR-2007"));
  EXPECT_TRUE(absl::StrContains(result.status().message(), "Set STR_BUDGET to at least 2.00 GiB (2147483648 bytes)"))
      << result.status();
  EXPECT_FALSE(absl::StrContains(result.status().message(), "try:"));
}

TEST_F(AutomaticPlanningTest, MeasuresTheStepWithoutRunningIt) {
  SetPlanner("exit 2");
  const auto session = Start();
  const auto before = session->Weights();
  EXPECT_FALSE(session->Run().ok());
  EXPECT_TRUE(BitEqual(session->Weights()[0], before[0]));

  std::map<std::string, config::Node> nodes;
  const config::GraphFile graph = Measured();
  for (const config::Node& node : graph.node()) nodes[node.name()] = node;
  EXPECT_GT(nodes["h"].time_ns(), 0);
  EXPECT_EQ(nodes["h"].output(0).bytes(), kRows * kWidth * 4);
  // Relu takes over the buffer of a value that it alone holds.
  ASSERT_EQ(nodes["r"].output(0).forwards_input_size(), 1);
  EXPECT_EQ(nodes["r"].output(0).forwards_input(0), 0);
  EXPECT_EQ(nodes["y"].output(0).forwards_input_size(), 0);
  EXPECT_GE(graph.external_bytes(), kWidth * kWidth * 4);
  EXPECT_GT(graph.steps_measured(), 0);
}

TEST(ProbeGraph, GivesEachOpInputsOfItsOwn) {
  GraphBuilder b;
  b.Argument("x", tensorflow::DT_FLOAT, tensorflow::PartialTensorShape({4, 8}));
  b.Add("Relu", "r", {"x"});
  b.Add("Shape", "size", {"r"});
  b.Add("Reshape", "flat", {"r", "size"});
  const graph::GraphView view = graph::MakeGraphView(b.graph());
  const auto probe = BuildProbeGraph(view, b.graph(), "probe");
  ASSERT_TRUE(probe.ok()) << probe.status();
  EXPECT_EQ(probe->nodes, 3);
  EXPECT_EQ(InputsOf(*FindNode(*probe->graph, "r"))[0], "x:0");
  const auto inputs = InputsOf(*FindNode(*probe->graph, "flat"));
  EXPECT_TRUE(absl::StartsWith(inputs[0], "str/probe_input_")) << inputs[0];
  EXPECT_EQ(inputs[1], "size:0");
  EXPECT_EQ(inputs[2], "^size");
}

TEST(ProbeGraph, CannotBeBuiltWithoutSizes) {
  GraphBuilder b;
  b.Argument("x", tensorflow::DT_FLOAT, tensorflow::PartialTensorShape({-1, 8}));
  b.Add("Relu", "r", {"x"});
  b.Add("Neg", "n", {"r"});
  const graph::GraphView view = graph::MakeGraphView(b.graph());
  EXPECT_TRUE(config::IsInvalid(BuildProbeGraph(view, b.graph(), "probe").status(), "'r:0'"));
}

}  // namespace
}  // namespace str::automatic
