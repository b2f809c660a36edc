#include "optimizer/placement/placement.h"

#include <random>

#include "gtest/gtest.h"

namespace str::optimizer {
namespace {

constexpr int64_t kUnit = kSmallestPlacedBytes;

Allocation Buffer(int first, int last, int64_t bytes) {
  Allocation allocation;
  allocation.first_step = first;
  allocation.last_step = last;
  allocation.rounded_bytes = bytes;
  return allocation;
}

// Compares every pair, independently of how the packing works.
void ExpectNoOverlap(const std::vector<Allocation>& allocations, const Placement& placement) {
  for (size_t i = 0; i < allocations.size(); ++i) {
    if (placement.offsets[i] == kNotPlaced) continue;
    const int64_t end_i = placement.offsets[i] + allocations[i].rounded_bytes;
    EXPECT_LE(end_i, placement.arena_bytes);
    EXPECT_GE(placement.offsets[i], 0);
    for (size_t j = 0; j < i; ++j) {
      if (placement.offsets[j] == kNotPlaced) continue;
      const bool same_time = allocations[i].first_step <= allocations[j].last_step &&
                             allocations[j].first_step <= allocations[i].last_step;
      const bool same_place =
          placement.offsets[i] < placement.offsets[j] + allocations[j].rounded_bytes && placement.offsets[j] < end_i;
      EXPECT_FALSE(same_time && same_place) << i << " and " << j;
    }
  }
}

TEST(PlacementTest, BuffersThatNeverMeetShareAPlace) {
  const std::vector<Allocation> allocations = {Buffer(0, 1, 2 * kUnit), Buffer(2, 3, kUnit), Buffer(2, 3, kUnit)};
  const Placement placement = PlaceAllocations(allocations);
  EXPECT_EQ(placement.arena_bytes, 2 * kUnit);
  ExpectNoOverlap(allocations, placement);
}

TEST(PlacementTest, AStepHoldsWhatItFreesWhileItAllocates) {
  const std::vector<Allocation> allocations = {Buffer(0, 1, kUnit), Buffer(1, 2, kUnit)};
  EXPECT_EQ(PlaceAllocations(allocations).arena_bytes, 2 * kUnit);
}

TEST(PlacementTest, SmallLastingAndTemporaryBuffersGetNoPlace) {
  std::vector<Allocation> allocations = {Buffer(0, 1, kUnit - 1), Buffer(0, 5, kUnit), Buffer(1, 1, kUnit),
                                         Buffer(0, 1, kUnit)};
  allocations[1].outlives_step = true;
  allocations[2].kind = Allocation::kTemporary;
  const Placement placement = PlaceAllocations(allocations);
  // The last one is of the same step and size as one that has no place.
  EXPECT_EQ(placement.offsets, std::vector<int64_t>(4, kNotPlaced));
  EXPECT_EQ(placement.arena_bytes, 0);
}

TEST(PlacementTest, RandomBuffersNeverOverlapAndPackTightly) {
  double worst = 1, sum = 0;
  constexpr int kRounds = 60;
  for (int seed = 1; seed <= kRounds; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    const auto draw = [&](int64_t low, int64_t high) {
      return std::uniform_int_distribution<int64_t>(low, high)(random);
    };
    std::vector<Allocation> allocations;
    std::vector<int64_t> load(200, 0);
    for (int i = 0; i < 120; ++i) {
      const int first = static_cast<int>(draw(0, 150));
      const int last = first + static_cast<int>(draw(0, draw(0, 3) == 0 ? 49 : 5));
      allocations.push_back(Buffer(first, last, kUnit * draw(1, 40)));
      for (int step = first; step <= last; ++step) load[step] += allocations.back().rounded_bytes;
    }
    const Placement placement = PlaceAllocations(allocations);
    ExpectNoOverlap(allocations, placement);
    const int64_t bound = *std::max_element(load.begin(), load.end());
    EXPECT_GE(placement.arena_bytes, bound);
    const double ratio = double(placement.arena_bytes) / bound;
    worst = std::max(worst, ratio);
    sum += ratio;
  }
  EXPECT_LT(worst, 1.15);
  EXPECT_LT(sum / kRounds, 1.04);
}

}  // namespace
}  // namespace str::optimizer
