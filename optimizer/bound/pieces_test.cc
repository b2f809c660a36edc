#include "optimizer/bound/pieces.h"

#include "gtest/gtest.h"
#include "optimizer/simulator/judge.h"
#include "optimizer/testing/graph_builder.h"
#include "optimizer/testing/program_text.h"

namespace str::optimizer {
namespace {

TEST(LostSecondsTest, IsTheTimeBetweenFirstRuns) {
  GraphBuilder b;
  b.Add("a", {}, {10}, 20);
  b.Add("b", {"a:0"}, {10}, 30);
  b.Add("c", {"a:0", "b:0"}, {10}, 40);
  const Graph graph = b.Build();
  const Program program = ParseProgram(graph, "a b again:a c");
  const absl::StatusOr<Verdict> verdict = Judge(graph, MeasuredCosts(b.file()), program);
  ASSERT_TRUE(verdict.ok()) << verdict.status();
  const std::vector<double> lost = LostSeconds(program, verdict->simulation);
  ASSERT_EQ(lost.size(), 3u);
  EXPECT_NEAR(lost[0], 0, 1e-15);
  EXPECT_NEAR(lost[1], 0, 1e-15);
  EXPECT_NEAR(lost[2], 20e-9, 1e-15);
}

std::vector<double> Lost(std::initializer_list<std::pair<int, double>> lost) {
  std::vector<double> by_slot(50, 0);
  for (const auto& [slot, seconds] : lost) by_slot[slot] = seconds;
  return by_slot;
}

TEST(SplitWindowTest, PartsPlacesThatAreFarFromEachOther) {
  const std::vector<Piece> pieces = SplitWindow({5, 45}, Lost({{10, 1}, {12, 1}, {30, 2}}));
  ASSERT_EQ(pieces.size(), 2u);
  EXPECT_EQ(pieces[0].counted.first, 0);
  EXPECT_EQ(pieces[0].counted.last, 12);
  EXPECT_EQ(pieces[1].counted.first, 13);
  EXPECT_GE(pieces[1].counted.last, 50);
  EXPECT_LE(pieces[0].window.first, 10);
  EXPECT_GE(pieces[0].window.last, 12);
  // Its first slot stands for all before it, which the first piece counts.
  EXPECT_LT(pieces[1].window.first, 13);
  EXPECT_GE(pieces[1].window.last, 30);
  for (const Piece& piece : pieces) {
    EXPECT_GE(piece.window.first, 5);
    EXPECT_LE(piece.window.last, 45);
  }
}

TEST(SplitWindowTest, DoesNotPartNeighbours) { EXPECT_EQ(SplitWindow({5, 45}, Lost({{10, 1}, {12, 1}})).size(), 1u); }

TEST(SplitWindowTest, LosesNoPieceToTrifles) {
  EXPECT_EQ(SplitWindow({5, 45}, Lost({{10, 1}, {20, 0.01}, {30, 1}})).size(), 2u);
}

TEST(SplitWindowTest, NothingLost) {
  EXPECT_TRUE(SplitWindow({5, 45}, Lost({})).empty());
  EXPECT_TRUE(SplitWindow({5, 45}, {}).empty());
}

}  // namespace
}  // namespace str::optimizer
