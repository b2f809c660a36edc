#include "optimizer/bound/single_cut.h"

#include "gtest/gtest.h"
#include "optimizer/ilp/highs_solver.h"
#include "optimizer/simulator/program.h"
#include "optimizer/testing/graph_builder.h"
#include "optimizer/testing/program_text.h"

namespace str::optimizer {
namespace {

// Copies take a nanosecond per byte, so 10 bytes take as long as 10 units of time.
//   a (10 bytes, 20 ns) -> big (30 bytes, 100 ns, also takes a) -> use (takes a and big)
class SingleCutTest : public ::testing::Test {
 protected:
  void SetUp() override {
    b_.Add("a", {}, {10}, 20);
    b_.Add("c", {"a:0"}, {1}, 50);
    b_.Add("big", {"c:0"}, {30}, 100);
    b_.Add("d", {"big:0"}, {1}, 5);
    b_.Add("use", {"a:0", "d:0"}, {1}, 100);
  }

  // The step's time in ns by the cut at "big".
  double Bound(int64_t budget_bytes, bool copies) {
    const Graph graph = b_.Build();
    const CutProblem problem(graph, MeasuredCosts(b_.file()), CapturedOrder(graph), 1);
    const std::optional<SingleCut> cut = SingleCutModel(problem, InOrderView(problem, 2, budget_bytes), copies);
    EXPECT_TRUE(cut.has_value());
    if (!cut.has_value()) return 0;
    const absl::StatusOr<Solution> solution = SolveWithHighs(cut->model, {});
    EXPECT_TRUE(solution.ok()) << solution.status();
    return (solution->bound - cut->copy_price) / kModelTime * problem.total_seconds() * 1e9;
  }

  GraphBuilder b_;
};

TEST_F(SingleCutTest, NothingIsLostWhereEverythingFits) {
  EXPECT_NEAR(Bound(41, false), 275, 1e-3);
  EXPECT_NEAR(Bound(41, true), 275, 1e-3);
}

TEST_F(SingleCutTest, WhatDoesNotFitIsMadeAgain) { EXPECT_NEAR(Bound(40, false), 295, 1e-3); }

// 10 ns out while c runs (50), 10 ns in while d runs (5): 5 ns too long.
TEST_F(SingleCutTest, OrCopiedBesideTheOps) { EXPECT_NEAR(Bound(40, true), 280, 1e-3); }

TEST_F(SingleCutTest, OrWaitsForTheCopyOut) {
  b_.file().mutable_node(0)->set_recompute(config::RECOMPUTE_RANDOM);
  b_.file().set_copy_out_bytes_per_second(100000000);  // 100 ns out
  EXPECT_NEAR(Bound(40, true), 275 + 50 + 5, 1e-3);
}

TEST_F(SingleCutTest, WhatIsNeededToMakeItAgainCountsToo) {
  // a comes from a node that may not run again, so it is a's input that would have to stay.
  b_.file().clear_node();
  b_.Add("in", {}, {12}, 10)->set_recompute(config::RECOMPUTE_RANDOM);
  b_.Add("a", {"in:0"}, {10}, 20);
  b_.Add("big", {}, {30}, 100);
  b_.Add("use", {"a:0"}, {1}, 100);
  const Graph graph = b_.Build();
  const CutProblem problem(graph, MeasuredCosts(b_.file()), CapturedOrder(graph), 1);
  const std::optional<SingleCut> model = SingleCutModel(problem, InOrderView(problem, 2, 39), /*copies=*/false);
  ASSERT_TRUE(model.has_value());
  EXPECT_EQ(SolveWithHighs(model->model, {})->status, SolveStatus::kInfeasible);
  EXPECT_FALSE(SingleCutModel(problem, InOrderView(problem, 2, 29), /*copies=*/true).has_value());
}

}  // namespace
}  // namespace str::optimizer
