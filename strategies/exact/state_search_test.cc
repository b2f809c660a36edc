#include "strategies/exact/state_search.h"

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "optimizer/testing/graph_builder.h"
#include "optimizer/testing/program_text.h"

namespace str::strategies {
namespace {

class StateSearchTest : public ::testing::Test {
 protected:
  // The program, as a text.
  std::string Fastest(int64_t budget_bytes) const {
    const optimizer::Graph graph = b_.Build();
    const std::vector<optimizer::NodeId> order = optimizer::CapturedOrder(graph);
    const optimizer::CutProblem problem(graph, optimizer::MeasuredCosts(b_.file()), order, 1);
    const Limit limit(absl::InfiniteDuration(), nullptr);
    return optimizer::ProgramText(graph, FastestWithoutCopies(problem, order, budget_bytes, limit));
  }

  mutable optimizer::GraphBuilder b_;
};

TEST_F(StateSearchTest, RunsEverythingOnceWhereItFits) {
  b_.Add("a", {}, {10}, 20);
  b_.Add("b", {"a:0"}, {10}, 20);
  EXPECT_EQ(Fastest(20), "a b");
  EXPECT_EQ(Fastest(19), "");
}

// Only one of the two can stay beside big; the cheaper one is made again.
TEST_F(StateSearchTest, MakesTheCheapestAgain) {
  b_.Add("a", {}, {10}, 50);
  b_.Add("b", {}, {10}, 20);
  b_.Add("big", {}, {100}, 5);
  b_.Add("small", {"big:0"}, {1}, 5);
  b_.Add("use", {"a:0", "b:0", "small:0"}, {1}, 5);
  EXPECT_EQ(Fastest(115), "a b big small again:b use");
  b_.file().mutable_node(1)->set_recompute(config::RECOMPUTE_RANDOM);
  EXPECT_EQ(Fastest(115), "a b big small again:a use");
}

TEST_F(StateSearchTest, HasALimitOfStorages) {
  for (size_t i = 0; i <= kMostStorages; ++i) b_.Add(absl::StrCat("n", i), {}, {10}, 20);
  EXPECT_EQ(Fastest(10000), "");
}

}  // namespace
}  // namespace str::strategies
