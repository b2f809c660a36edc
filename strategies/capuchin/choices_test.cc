#include "strategies/capuchin/choices.h"

#include "gtest/gtest.h"
#include "optimizer/simulator/program.h"
#include "optimizer/testing/graph_builder.h"
#include "optimizer/testing/program_text.h"

namespace str::strategies {
namespace {

TEST(CopyLaneTest, OneCopyAtATime) {
  CopyLane lane;
  EXPECT_EQ(lane.EarliestStart(3, 2), 3);
  EXPECT_EQ(lane.LatestStart(1, 2), -1);
  lane.Reserve(10, 5);
  lane.Reserve(2, 3);
  // Free: up to 2, from 5 to 10, from 15.
  EXPECT_EQ(lane.EarliestStart(0, 2), 0);
  EXPECT_EQ(lane.EarliestStart(0, 3), 5);
  EXPECT_EQ(lane.EarliestStart(4, 5), 5);
  EXPECT_EQ(lane.EarliestStart(4, 6), 15);
  EXPECT_EQ(lane.LatestStart(20, 5), 15);
  EXPECT_EQ(lane.LatestStart(19, 5), 5);
  EXPECT_EQ(lane.LatestStart(12, 4), 6);
  EXPECT_EQ(lane.LatestStart(12, 6), -4);
  lane.Release(2);
  // Free: up to 10, from 15.
  EXPECT_EQ(lane.EarliestStart(0, 3), 0);
  EXPECT_EQ(lane.LatestStart(12, 6), 4);
}

class CapuchinChoicesTest : public ::testing::Test {
 protected:
  // a and b are made, b from a; the peak is at stage 3; then b is taken, and later a.
  CapuchinChoices& Load(int64_t middle_ns, int64_t host_limit_bytes = 0) {
    optimizer::GraphBuilder b;
    b.Add("a", {}, {100}, 300);
    b.Add("b", {"a:0"}, {100}, 200);
    b.Add("c", {}, {100}, 10);
    b.Add("peak", {}, {500}, middle_ns);
    b.Add("d", {}, {100}, 10);
    b.Add("take_b", {"b:0"}, {100}, 10);
    b.Add("take_a", {"a:0"}, {100}, 10);
    graph_.emplace(b.Build());
    costs_ = optimizer::MeasuredCosts(b.file());
    ProblemOptions options;
    options.peak_bytes = 1000;
    problem_.emplace(&*graph_, &costs_, optimizer::CapturedOrder(*graph_), options);
    choices_.emplace(&*problem_, host_limit_bytes);
    return *choices_;
  }

  // Of the gap of a node's output across the peak.
  Mode ModeOf(const char* node) {
    const int32_t storage = problem_->storage_of(graph_->node(graph_->FindNode(node)).first_tensor);
    return choices_->decisions()[problem_->storages()[storage].first_unit];
  }

  std::optional<optimizer::Graph> graph_;
  optimizer::Costs costs_;
  std::optional<Problem> problem_;
  std::optional<CapuchinChoices> choices_;
};

TEST_F(CapuchinChoicesTest, SwapsTheLargestFreeTimeFirst) {
  CapuchinChoices& choices = Load(1000);
  ASSERT_TRUE(choices.Choose(3));
  EXPECT_EQ(ModeOf("a"), Mode::kSwap);
  EXPECT_EQ(ModeOf("b"), Mode::kKeep);
  ASSERT_TRUE(choices.Choose(3));
  EXPECT_EQ(ModeOf("b"), Mode::kSwap);
  EXPECT_FALSE(choices.Choose(3));
  // Nothing spans the stage in which b is taken but a, which is decided.
  EXPECT_FALSE(choices.Choose(5));
}

// Both copies back need 100 ns before stage 5, and the way out of b starts with its end: 120 ns are enough for one.
TEST_F(CapuchinChoicesTest, RecomputesWhatNoCopyHides) {
  CapuchinChoices& choices = Load(100);
  ASSERT_TRUE(choices.Choose(3));
  EXPECT_EQ(ModeOf("a"), Mode::kSwap);
  ASSERT_TRUE(choices.Choose(3));
  EXPECT_EQ(ModeOf("b"), Mode::kTransient);
}

// There is time for the copy of one of them back, and room on the host for one: b is swapped once a is refused.
TEST_F(CapuchinChoicesTest, ASwapThatIsTakenBackLeavesItsLanes) {
  CapuchinChoices& choices = Load(200, /*host_limit_bytes=*/100);
  ASSERT_TRUE(choices.Choose(3));
  EXPECT_EQ(ModeOf("a"), Mode::kSwap);
  choices.TakeBack();
  EXPECT_EQ(ModeOf("a"), Mode::kKeep);
  ASSERT_TRUE(choices.Choose(3));
  EXPECT_EQ(ModeOf("b"), Mode::kSwap);
  EXPECT_FALSE(choices.Choose(3));
}

TEST_F(CapuchinChoicesTest, RecomputesMostBytesPerSecondFirst) {
  CapuchinChoices& choices = Load(1000, /*host_limit_bytes=*/1);
  ASSERT_TRUE(choices.Choose(3));
  EXPECT_EQ(ModeOf("b"), Mode::kTransient);
  EXPECT_EQ(ModeOf("a"), Mode::kKeep);
  choices.TakeBack();
  EXPECT_EQ(ModeOf("b"), Mode::kKeep);
  ASSERT_TRUE(choices.Choose(3));
  EXPECT_EQ(ModeOf("a"), Mode::kTransient);
  EXPECT_FALSE(choices.Choose(3));
}

// Alone a and b would cost the same, but b is made from a: with b dropped, a would be made twice.
TEST_F(CapuchinChoicesTest, SourcesThatAreTakenAgainCostMore) {
  optimizer::GraphBuilder b;
  b.Add("a", {}, {100}, 300);
  b.Add("b", {"a:0"}, {100}, 200);
  b.Add("other", {}, {100}, 500);
  b.Add("x", {}, {100}, 10);
  b.Add("peak", {}, {500}, 10);
  b.Add("d", {}, {100}, 10);
  b.Add("take_b", {"b:0"}, {100}, 10);
  b.Add("take", {"a:0", "other:0"}, {100}, 10);
  graph_.emplace(b.Build());
  costs_ = optimizer::MeasuredCosts(b.file());
  ProblemOptions options;
  options.peak_bytes = 1000;
  options.allow_swap = false;
  problem_.emplace(&*graph_, &costs_, optimizer::CapturedOrder(*graph_), options);
  choices_.emplace(&*problem_, 0);
  ASSERT_TRUE(choices_->Choose(4));
  EXPECT_EQ(ModeOf("b"), Mode::kTransient);
  ASSERT_TRUE(choices_->Choose(4));
  EXPECT_EQ(ModeOf("other"), Mode::kTransient);
  EXPECT_EQ(ModeOf("a"), Mode::kKeep);
}

}  // namespace
}  // namespace str::strategies
