#include "tf_plugin/rewrite/small_differences.h"

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "config/status_testing.h"
#include "gtest/gtest.h"
#include "tf_plugin/device/limited_device.h"
#include "tf_plugin/rewrite/program_text.h"
#include "tf_plugin/rewrite/rewrite_pass.h"
#include "tf_plugin/testing/graph_builder.h"

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

TEST(SmallDifferencesTest, ASmallNodeThatOnlyOneOfBothHasIsLeftOut) {
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

TEST(SmallDifferencesTest, TheStrategyIsAppliedAndThatIsSaid) {
  device::RegisterLimitedDevice(device::kNoLimit);
  const auto build = [](const std::string& small) {
    auto b = std::make_unique<GraphBuilder>();
    Build(*b, {small});
    b->Variable("v", {4});
    b->Add("AssignSubVariableOp", "gradient_tape/update", {"v", "s"});
    return b;
  };
  const config::StrategyFile strategy = StrategyFor(*build("small"));
  Strategies strategies;
  strategies.by_fingerprint[strategy.graph_fingerprint()] = {"plan.conf",
                                                             std::make_shared<const config::StrategyFile>(strategy)};
  ::testing::internal::CaptureStderr();
  const absl::StatusOr<PlannedGraph> planned = PlanGraph(strategies, {/*strict=*/true}, build("other")->graph());
  const std::string said = ::testing::internal::GetCapturedStderr();
  ASSERT_EQ(planned.status(), absl::OkStatus());
  ASSERT_NE(planned->graph, nullptr);
  EXPECT_TRUE(absl::StartsWith(said, "STR-3006 plan.conf was made for fingerprint ")) << said;
  EXPECT_TRUE(absl::StrContains(said, "differs in 2 small nodes, the first is 'small'")) << said;
}

TEST(ProbablePassTest, NamesAndOpsTellThePass) {
  EXPECT_TRUE(absl::StrContains(ProbablePass("ArithmeticOptimizer/AddOpsRewrite_add", "AddN"), "arithmetic optimizer"));
  EXPECT_TRUE(absl::StrContains(ProbablePass("a/b", "_MklNativeConv2DBackpropFilterWithBias"), "oneDNN's layout pass"));
  EXPECT_TRUE(absl::StrContains(ProbablePass("a/b", "_FusedMatMul"), "Grappler's remapper"));
  EXPECT_EQ(ProbablePass("a/b", "MatMul"), "");
}

}  // namespace
}  // namespace str::rewrite
