#include "strategies/program_list.h"

#include "gtest/gtest.h"
#include "optimizer/testing/graph_builder.h"
#include "optimizer/testing/program_text.h"

namespace str::strategies {
namespace {

using optimizer::ParseProgram;
using optimizer::ProgramText;

class ProgramListTest : public ::testing::Test {
 protected:
  ProgramListTest() {
    b_.Add("a", {}, {100}, 10);
    b_.Add("b", {"a:0"}, {100}, 1);
    b_.Add("c", {"b:0"}, {100}, 1);
    b_.Add("d", {"c:0", "b:0", "a:0"}, {10}, 1);
    graph_.emplace(b_.Build());
    costs_ = optimizer::MeasuredCosts(b_.file());
    request_.graph = &*graph_;
    request_.costs = &costs_;
    request_.placed = false;
  }

  optimizer::Program Parse(absl::string_view text) { return ParseProgram(*graph_, text); }
  PlanResult Choose(const ProgramList& list, int64_t budget_bytes, bool complete = true) {
    request_.budget_bytes = budget_bytes;
    absl::StatusOr<PlanResult> result = list.Choose(Limit(absl::InfiniteDuration(), nullptr), complete);
    EXPECT_TRUE(result.ok()) << result.status();
    return result.ok() ? *std::move(result) : PlanResult();
  }

  // A longer graph, in which making a again at its end saves memory.
  void TakeAAgainAtTheEnd() {
    optimizer::GraphBuilder b;
    b.Add("a", {}, {100}, 10);
    b.Add("b", {"a:0"}, {10}, 1);
    b.Add("c", {"b:0"}, {200}, 1);
    b.Add("d", {"c:0"}, {10}, 1);
    b.Add("e", {"d:0", "a:0"}, {10}, 1);
    graph_.emplace(b.Build());
    costs_ = optimizer::MeasuredCosts(b.file());
  }

  optimizer::GraphBuilder b_;
  std::optional<optimizer::Graph> graph_;
  optimizer::Costs costs_;
  PlanRequest request_;
};

TEST_F(ProgramListTest, TheFastestThatFitsIsThePlan) {
  TakeAAgainAtTheEnd();
  ProgramList list(&request_);
  ASSERT_TRUE(list.Add(Parse("a b c d again:a e")).ok());
  ASSERT_TRUE(list.Add(Parse("a b c d e")).ok());
  ASSERT_TRUE(list.Add(Parse("a b c d e")).ok());
  EXPECT_EQ(list.size(), 2);
  PlanResult result = Choose(list, 310);
  EXPECT_EQ(result.status, PlanStatus::kFeasible);
  EXPECT_EQ(ProgramText(*graph_, result.program), "a b c d e");
  EXPECT_EQ(result.min_budget_bytes, 210);
  EXPECT_EQ(ProgramText(*graph_, result.least_memory_program), "a b c d again:a e");
  result = Choose(list, 309);
  EXPECT_EQ(ProgramText(*graph_, result.program), "a b c d again:a e");
  result = Choose(list, 209);
  EXPECT_EQ(result.status, PlanStatus::kInfeasible);
  EXPECT_TRUE(result.program.empty());
  EXPECT_EQ(result.min_budget_bytes, 210);
}

TEST_F(ProgramListTest, AListCutShortKnowsNoSmallestBudget) {
  ProgramList list(&request_);
  ASSERT_TRUE(list.Add(Parse("a b c d")).ok());
  PlanResult result = Choose(list, 1, false);
  EXPECT_EQ(result.status, PlanStatus::kLimit);
  EXPECT_EQ(result.min_budget_bytes, 0);
  EXPECT_TRUE(result.least_memory_program.empty());
  result = Choose(list, 1000, false);
  EXPECT_EQ(result.status, PlanStatus::kFeasible);
  EXPECT_EQ(result.min_budget_bytes, 0);
}

TEST_F(ProgramListTest, AStoppedListStillTriesSome) {
  TakeAAgainAtTheEnd();
  request_.budget_bytes = 310;
  ProgramList list(&request_);
  ASSERT_TRUE(list.Add(Parse("a b c d again:a e")).ok());
  ASSERT_TRUE(list.Add(Parse("a b c d e")).ok());
  const std::atomic<bool> stop(true);
  const Limit stopped(absl::InfiniteDuration(), &stop);
  absl::StatusOr<PlanResult> result = list.Choose(stopped, true);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->status, PlanStatus::kFeasible);
  EXPECT_EQ(ProgramText(*graph_, result->program), "a b c d e");
  EXPECT_EQ(result->min_budget_bytes, 0);
  request_.budget_bytes = 209;
  result = list.Choose(stopped, true);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->status, PlanStatus::kLimit);
}

TEST_F(ProgramListTest, RefusesWhatCannotBeRun) {
  ProgramList list(&request_);
  EXPECT_EQ(list.Add(Parse("b a c d")).code(), absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace str::strategies
