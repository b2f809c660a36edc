#include "optimizer/placement/bfc_replay.h"

#include "gtest/gtest.h"
#include "optimizer/simulator/judge.h"
#include "optimizer/testing/program_text.h"
#include "optimizer/testing/training_graph.h"

namespace str::optimizer {
namespace {

constexpr int64_t kUnit = 256;

Allocation Buffer(int first, int last, int64_t bytes) {
  Allocation allocation;
  allocation.first_step = first;
  allocation.last_step = last;
  allocation.rounded_bytes = bytes;
  return allocation;
}

TEST(BfcReplayTest, BuffersThatNeverMeetShareAPlace) {
  EXPECT_EQ(BfcRegionBytes({Buffer(0, 1, 2 * kUnit), Buffer(2, 3, kUnit), Buffer(2, 3, kUnit)}, 0), 2 * kUnit);
}

TEST(BfcReplayTest, AStepHoldsWhatItFreesWhileItAllocates) {
  EXPECT_EQ(BfcRegionBytes({Buffer(0, 1, kUnit), Buffer(1, 2, kUnit)}, 0), 2 * kUnit);
}

TEST(BfcReplayTest, FragmentationCounts) {
  // Two small ones stay; between them is a hole that the large one does not fit.
  const std::vector<Allocation> allocations = {Buffer(0, 9, kUnit), Buffer(1, 2, 2 * kUnit), Buffer(2, 9, kUnit),
                                               Buffer(3, 4, 3 * kUnit)};
  EXPECT_EQ(BfcRegionBytes(allocations, 0), 7 * kUnit);
  EXPECT_EQ(ReplayInBfc(allocations, 0, 6 * kUnit), 0);
  EXPECT_EQ(ReplayInBfc(allocations, 0, 7 * kUnit), 7 * kUnit);
}

TEST(BfcReplayTest, WhatIsThereBeforeAndWhatStaysCount) {
  std::vector<Allocation> allocations = {Buffer(0, 0, kUnit), Buffer(1, 1, kUnit)};
  EXPECT_EQ(BfcRegionBytes(allocations, 10 * kUnit + 1), 12 * kUnit);
  allocations[0].outlives_step = true;
  EXPECT_EQ(BfcRegionBytes(allocations, 10 * kUnit), 12 * kUnit);
}

TEST(BfcReplayTest, ProgramsFitTheRegionAndNeverLessThanTheirPeak) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    const config::GraphFile file = RandomTrainingGraph({.seed = seed, .layers = 12});
    const absl::StatusOr<Graph> graph = Graph::FromFile(file);
    ASSERT_TRUE(graph.ok());
    const absl::StatusOr<Verdict> verdict = Judge(*graph, MeasuredCosts(file), KeepAll(*graph, CapturedOrder(*graph)));
    ASSERT_TRUE(verdict.ok()) << verdict.status();
    const std::vector<Allocation>& allocations = verdict->simulation.allocations;
    const int64_t region = BfcRegionBytes(allocations, graph->external_bytes());
    EXPECT_GE(region, verdict->peak_bytes());
    EXPECT_LE(region, 1.5 * verdict->peak_bytes());
    EXPECT_GT(ReplayInBfc(allocations, graph->external_bytes(), region), 0);
  }
}

}  // namespace
}  // namespace str::optimizer
