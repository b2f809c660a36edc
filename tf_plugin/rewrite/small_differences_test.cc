#include "tf_plugin/rewrite/small_differences.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "config/status_testing.h"
#include "gtest/gtest.h"
#include "tf_plugin/device/limited_device.h"
#include "tf_plugin/rewrite/program_text.h"
#include "tf_plugin/rewrite/rewrite_pass.h"
#include "tf_plugin/testing/graph_builder.h"
#include "tf_plugin/testing/step_session.h"
#include "tf_plugin/testing/training_graph.h"

namespace str::rewrite {
namespace {

using testing::GraphBuilder;
using Strings = std::vector<std::string>;

constexpr int kLargeNodes = 50;

// A row of large nodes, and small ones beside it.
void Build(GraphBuilder& b, const Strings& small_nodes, int rows = 200) {
  b.Argument("x0", tensorflow::DT_FLOAT, tensorflow::PartialTensorShape({rows, 200}), 0);
  b.Argument("s", tensorflow::DT_FLOAT, tensorflow::PartialTensorShape({4}), 1);
  for (int i = 1; i <= kLargeNodes; ++i) b.Add("Exp", absl::StrCat("x", i), {absl::StrCat("x", i - 1)});
  for (const std::string& name : small_nodes) b.Add("Neg", name, {"s"});
}

config::StrategyFile StrategyFor(GraphBuilder& b, const Strings& more = {}) {
  const graph::GraphView view = graph::MakeGraphView(b.graph());
  Strings program = RunAll(view);
  program.insert(program.end(), more.begin(), more.end());
  return ProgramFor(view, program);
}

std::optional<AdaptedStrategy> Adapt(const config::StrategyFile& strategy, GraphBuilder& b) {
  return AdaptToSmallDifferences(strategy, graph::MakeGraphView(b.graph()));
}

TEST(SmallDifferencesTest, ASmallNodeThatOnlyOneOfTheTwoHasIsLeftOut) {
  GraphBuilder made_for, here;
  Build(made_for, {"small"});
  Build(here, {"other"});
  const std::optional<AdaptedStrategy> adapted = Adapt(StrategyFor(made_for), here);
  ASSERT_TRUE(adapted.has_value());
  EXPECT_EQ(adapted->differing_nodes, 2);
  EXPECT_EQ(adapted->first, "small");
  EXPECT_EQ(adapted->strategy.step_size(), kLargeNodes);
}

TEST(SmallDifferencesTest, NoDifferenceOfNodesIsNotSmall) {
  GraphBuilder made_for;
  Build(made_for, {"small"});
  EXPECT_FALSE(Adapt(StrategyFor(made_for), made_for).has_value()) << "edges differ, or nothing does";
}

TEST(SmallDifferencesTest, ALargeNodeIsNoSmallDifference) {
  GraphBuilder made_for, more;
  Build(made_for, {});
  Build(more, {});
  more.Add("Exp", "large", {"x1"});
  EXPECT_FALSE(Adapt(StrategyFor(made_for), more).has_value());
  EXPECT_FALSE(Adapt(StrategyFor(more), made_for).has_value());
}

TEST(SmallDifferencesTest, ANodeThatWouldHoldALargeInputIsNoSmallDifference) {
  GraphBuilder made_for, holds, of_argument;
  Build(made_for, {});
  Build(holds, {});
  holds.Add("Size", "large_input", {"x1"});
  EXPECT_FALSE(Adapt(StrategyFor(made_for), holds).has_value());
  Build(of_argument, {});
  of_argument.Add("Size", "large_argument", {"x0"});
  EXPECT_TRUE(Adapt(StrategyFor(made_for), of_argument).has_value()) << "there during the whole step";
}

TEST(SmallDifferencesTest, AnEffectIsNoSmallDifference) {
  GraphBuilder made_for, here;
  Build(made_for, {});
  Build(here, {});
  here.Variable("v", {4});
  const config::StrategyFile with_variable = StrategyFor(here);
  here.Add("AssignSubVariableOp", "update", {"v", "s"});
  EXPECT_FALSE(Adapt(with_variable, here).has_value()) << "the strategy lacks the update";
  EXPECT_FALSE(Adapt(StrategyFor(here), made_for).has_value()) << "the graph lacks the update";
}

TEST(SmallDifferencesTest, AnotherShapeIsNoSmallDifference) {
  GraphBuilder made_for, here;
  Build(made_for, {"small"});
  Build(here, {}, /*rows=*/100);
  EXPECT_FALSE(Adapt(StrategyFor(made_for), here).has_value());
}

TEST(SmallDifferencesTest, ManyNodesAreNoSmallDifference) {
  GraphBuilder made_for, here;
  Build(made_for, {});
  Build(here, {"a", "b", "c"});
  EXPECT_FALSE(Adapt(StrategyFor(made_for), here).has_value()) << "3 of 50";
}

TEST(SmallDifferencesTest, ANodeThatIsRecomputedOrSwappedIsNoSmallDifference) {
  GraphBuilder made_for, here;
  Build(made_for, {"small"});
  Build(here, {});
  EXPECT_TRUE(Adapt(StrategyFor(made_for), here).has_value());
  EXPECT_FALSE(Adapt(StrategyFor(made_for, {"rerun small"}), here).has_value());
  EXPECT_FALSE(Adapt(StrategyFor(made_for, {"swap_out small:0"}), here).has_value());
}

TEST(SmallDifferencesTest, AnotherTensorFlowIsNoSmallDifference) {
  GraphBuilder made_for, here;
  Build(made_for, {"small"});
  Build(here, {});
  config::StrategyFile strategy = StrategyFor(made_for);
  strategy.set_tensorflow_version("2.20.0");
  EXPECT_FALSE(Adapt(strategy, here).has_value());
}

constexpr int kWidth = 64;

// A training step whose result is the error, `names` of small nodes further on.
std::unique_ptr<tensorflow::Graph> BuildStep(const Strings& names) {
  GraphBuilder b;
  testing::BuildTraining(b, /*rows=*/64, kWidth);
  std::string last = "e";
  for (int i = 0; i < 70; ++i) {
    const std::string next = absl::StrCat("next", i);
    b.Add("Sin", next, {last});
    last = next;
  }
  for (const std::string& name : names) {
    b.Add("Cos", name, {last});
    last = name;
  }
  // Takes its input from another node in each graph.
  b.Add("Neg", "end", {last});
  b.Add("_Retval", "result", {"end"}, {{"index", 0}});
  return b.Release();
}

// "run" of every node, and h once more.
config::StrategyFile StepStrategy(const Strings& names) {
  const std::unique_ptr<tensorflow::Graph> graph = BuildStep(names);
  const graph::GraphView view = graph::MakeGraphView(*graph);
  Strings program = RunAll(view);
  const auto behind_e = std::find(program.begin(), program.end(), "run e") + 1;
  program.insert(behind_e, "rerun h");
  return ProgramFor(view, program);
}

TEST(SmallDifferencesTest, TheStrategyThatDiffersLeastIsAppliedAndComputesTheSame) {
  device::RegisterLimitedDevice(device::kNoLimit);
  Strategies strategies;
  for (const auto& [path, names] : {std::pair<std::string, Strings>{"far.conf", {"a", "b", "c"}},
                                    {"near.conf", {"a"}},
                                    {"also_far.conf", {"a", "b"}}}) {
    const config::StrategyFile strategy = StepStrategy(names);
    strategies.by_fingerprint[strategy.graph_fingerprint()] = {path,
                                                               std::make_shared<const config::StrategyFile>(strategy)};
  }
  std::unique_ptr<tensorflow::Graph> graph = BuildStep({"other"});
  ::testing::internal::CaptureStderr();
  const absl::Status status = RewriteGraph(strategies, {/*strict=*/true}, graph);
  std::string said = ::testing::internal::GetCapturedStderr();
  ASSERT_EQ(status, absl::OkStatus());
  EXPECT_TRUE(absl::StartsWith(said, "STR-3006 near.conf was made for fingerprint ")) << said;
  EXPECT_TRUE(absl::StrContains(said, "differs in 2 small nodes, the first is 'a'")) << said;

  testing::StepSession planned(*graph, kWidth), plain(*BuildStep({"other"}), kWidth);
  for (int i = 0; i < 3; ++i) {
    ::testing::internal::CaptureStderr();
    const absl::StatusOr<tensorflow::Tensor> result = planned.Run();
    said = ::testing::internal::GetCapturedStderr();
    ASSERT_EQ(result.status(), absl::OkStatus());
    EXPECT_EQ(absl::StrContains(said, "STR-3001 applied: "), i == 0) << said;
    EXPECT_TRUE(testing::BitEqual(*result, *plain.Run()));
  }
  EXPECT_TRUE(testing::BitEqual(planned.Weights()[0], plain.Weights()[0]));
  EXPECT_TRUE(testing::BitEqual(planned.Weights()[1], plain.Weights()[1]));
}

TEST(SmallDifferencesTest, AStrategyThatIsNotUsedInTheEndIsNotSaidToBe) {
  config::StrategyFile strategy = StepStrategy({"a"});
  strategy.set_device("GPU:7");
  Strategies strategies;
  strategies.by_fingerprint[strategy.graph_fingerprint()] = {"plan.conf",
                                                             std::make_shared<const config::StrategyFile>(strategy)};
  std::unique_ptr<tensorflow::Graph> graph = BuildStep({"another"});
  ::testing::internal::CaptureStderr();
  const absl::Status status = RewriteGraph(strategies, {}, graph);
  const std::string said = ::testing::internal::GetCapturedStderr();
  EXPECT_EQ(status, absl::OkStatus());
  EXPECT_TRUE(absl::StartsWith(said, "STR-2003 plan.conf not used: ")) << said;
  EXPECT_FALSE(absl::StrContains(said, "STR-3006")) << said;
}

TEST(ProbablePassTest, NamesAndOpsTellThePass) {
  EXPECT_TRUE(absl::StrContains(ProbablePass("ArithmeticOptimizer/AddOpsRewrite_add", "AddN"), "arithmetic optimizer"));
  EXPECT_TRUE(absl::StrContains(ProbablePass("a/b", "_MklNativeConv2DBackpropFilterWithBias"), "oneDNN's layout pass"));
  EXPECT_TRUE(absl::StrContains(ProbablePass("a/b", "_FusedMatMul"), "Grappler's remapper"));
  EXPECT_EQ(ProbablePass("a/b", "MatMul"), "");
}

}  // namespace
}  // namespace str::rewrite
