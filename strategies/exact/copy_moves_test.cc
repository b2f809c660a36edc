#include "strategies/exact/copy_moves.h"

#include "gtest/gtest.h"
#include "optimizer/simulator/judge.h"
#include "optimizer/testing/graph_builder.h"
#include "optimizer/testing/program_text.h"

namespace str::strategies {
namespace {

// Copies take a nanosecond per byte.
class MoveCopiesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    b_.Add("a", {}, {10}, 20);
    b_.Add("x", {}, {10}, 30);
    b_.Add("big", {"x:0"}, {20}, 30);
    b_.Add("small", {"big:0"}, {1}, 30);
    b_.Add("use", {"a:0", "small:0"}, {1}, 20);
  }

  std::string Move(const std::string& program, int64_t budget_bytes) {
    const optimizer::Graph graph = b_.Build();
    const optimizer::Costs costs = optimizer::MeasuredCosts(b_.file());
    PlanRequest request;
    request.graph = &graph;
    request.costs = &costs;
    request.budget_bytes = budget_bytes;
    const Limit limit(absl::InfiniteDuration(), nullptr);
    const optimizer::Program moved = MoveCopies(request, optimizer::ParseProgram(graph, program), limit);
    const absl::StatusOr<optimizer::Verdict> verdict = optimizer::Judge(graph, costs, moved);
    EXPECT_TRUE(verdict.ok()) << verdict.status();
    EXPECT_LE(verdict->peak_bytes(), budget_bytes);
    seconds_ = verdict->seconds();
    return optimizer::ProgramText(graph, moved);
  }

  optimizer::GraphBuilder b_;
  double seconds_ = 0;
};

// Both copies are waited for at first; x hides the one out, small the one in.
TEST_F(MoveCopiesTest, HidesCopies) {
  Move("a out:a:0 wait:a:0 x big small in:a:0 use", 31);
  EXPECT_NEAR(seconds_, 130e-9, 1e-15);
}

// With less memory a comes back only when big is gone.
TEST_F(MoveCopiesTest, StaysWithinTheBudget) {
  Move("a out:a:0 wait:a:0 x big small in:a:0 use", 30);
  EXPECT_NEAR(seconds_, 140e-9, 1e-15);
}

TEST_F(MoveCopiesTest, LeavesProgramsWithoutCopies) { EXPECT_EQ(Move("a x big small use", 41), "a x big small use"); }

}  // namespace
}  // namespace str::strategies
