#include "optimizer/placement/placement_search.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <random>

#include "gtest/gtest.h"
#include "optimizer/placement/placer.h"

namespace str::optimizer {
namespace {

constexpr int64_t kMuch = 100000000;

bool SameTime(const TimedBuffer& a, const TimedBuffer& b) {
  return a.first_step <= b.last_step && b.first_step <= a.last_step;
}

void ExpectPlaced(const std::vector<TimedBuffer>& buffers, const std::vector<int64_t>& offsets, int64_t capacity) {
  ASSERT_EQ(offsets.size(), buffers.size());
  for (size_t i = 0; i < buffers.size(); ++i) {
    EXPECT_GE(offsets[i], 0);
    EXPECT_LE(offsets[i] + buffers[i].bytes, capacity);
    for (size_t j = 0; j < i; ++j) {
      const bool same_place = offsets[i] < offsets[j] + buffers[j].bytes && offsets[j] < offsets[i] + buffers[i].bytes;
      EXPECT_FALSE(SameTime(buffers[i], buffers[j]) && same_place) << i << " and " << j;
    }
  }
}

// The smallest arena: every buffer at every offset.
int64_t BruteForce(const std::vector<TimedBuffer>& buffers) {
  std::vector<int64_t> offsets(buffers.size(), 0);
  const std::function<bool(size_t, int64_t)> place = [&](size_t i, int64_t capacity) {
    if (i == buffers.size()) return true;
    for (int64_t offset = 0; offset + buffers[i].bytes <= capacity; ++offset) {
      bool free = true;
      for (size_t j = 0; j < i && free; ++j) {
        free = !SameTime(buffers[i], buffers[j]) || offset + buffers[i].bytes <= offsets[j] ||
               offsets[j] + buffers[j].bytes <= offset;
      }
      offsets[i] = offset;
      if (free && place(i + 1, capacity)) return true;
    }
    return false;
  };
  int64_t capacity = HighestLoad(buffers);
  while (!place(0, capacity)) ++capacity;
  return capacity;
}

std::vector<TimedBuffer> RandomBuffers(int seed, int count, int steps, int most_bytes) {
  std::mt19937 random(seed);
  const auto draw = [&](int low, int high) { return low + static_cast<int>(random() % (high - low + 1)); };
  std::vector<TimedBuffer> buffers;
  for (int i = 0; i < count; ++i) {
    const int first = draw(0, steps - 1);
    buffers.push_back({first, std::min(steps - 1, first + draw(0, 3)), draw(1, most_bytes)});
  }
  return buffers;
}

// Buffers of one step each, so that the highest load is held at every step: then a gap anywhere is one too many.
void FillUp(int steps, std::vector<TimedBuffer>* buffers) {
  std::vector<int64_t> load(steps, 0);
  for (const TimedBuffer& buffer : *buffers) {
    for (int step = buffer.first_step; step <= buffer.last_step; ++step) load[step] += buffer.bytes;
  }
  const int64_t highest = *std::max_element(load.begin(), load.end());
  for (int step = 0; step < steps; ++step) {
    if (load[step] < highest) buffers->push_back({step, step, highest - load[step]});
  }
}

TEST(PlacementSearchTest, NothingFitsAnything) { EXPECT_EQ(SearchPlaces({}, 0, kMuch).outcome, SearchResult::kFound); }

TEST(PlacementSearchTest, MoreBytesAtOnceThanTheCapacityAreImpossible) {
  const SearchResult result = SearchPlaces({{0, 1, 3}, {1, 2, 3}}, 5, kMuch);
  EXPECT_EQ(result.outcome, SearchResult::kImpossible);
  EXPECT_EQ(result.work, 0);
}

TEST(PlacementSearchTest, AgreesWithBruteForce) {
  int above_load = 0;
  for (int seed = 1; seed <= 400; ++seed) {
    SCOPED_TRACE(seed);
    std::vector<TimedBuffer> buffers = RandomBuffers(seed, 6 + seed % 3, 7, 5);
    if (seed % 2 == 0) FillUp(7, &buffers);
    const int64_t smallest = BruteForce(buffers);
    above_load += smallest > HighestLoad(buffers);
    const SearchResult found = SearchPlaces(buffers, smallest, kMuch);
    ASSERT_EQ(found.outcome, SearchResult::kFound);
    ExpectPlaced(buffers, found.offsets, smallest);
    EXPECT_EQ(SearchPlaces(buffers, smallest - 1, kMuch).outcome, SearchResult::kImpossible);
    const PlacedBuffers placed = PlaceBuffers(buffers, 0, kMuch);
    EXPECT_EQ(placed.arena_bytes, smallest);
    EXPECT_EQ(placed.enough_is_impossible, smallest > HighestLoad(buffers));
    ExpectPlaced(buffers, placed.offsets, smallest);
  }
  // Otherwise exhausting the search was never tested.
  EXPECT_GT(above_load, 0);
}

TEST(PlacementSearchTest, FindsWhatWasCutFromOneRectangle) {
  // A full rectangle is cut again and again, so that the highest load is held at every step.
  for (int seed = 1; seed <= 10; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    std::vector<TimedBuffer> buffers = {{0, 99, 10000}};
    while (buffers.size() < 60) {
      TimedBuffer& cut = buffers[random() % buffers.size()];
      TimedBuffer rest = cut;
      if (random() % 2 == 0 && cut.bytes > 100) {
        rest.bytes = 1 + static_cast<int64_t>(random() % (cut.bytes - 1));
        cut.bytes -= rest.bytes;
      } else if (cut.last_step > cut.first_step) {
        cut.last_step = cut.first_step + static_cast<int32_t>(random() % (cut.last_step - cut.first_step));
        rest.first_step = cut.last_step + 1;
      } else {
        continue;
      }
      buffers.push_back(rest);
    }
    const SearchResult found = SearchPlaces(buffers, 10000, 10 * kMuch);
    ASSERT_EQ(found.outcome, SearchResult::kFound);
    ExpectPlaced(buffers, found.offsets, 10000);
    EXPECT_EQ(SearchPlaces(buffers, 10000, 10 * kMuch).offsets, found.offsets);
  }
}

TEST(PlacementSearchTest, StopsAtItsLimit) {
  const std::vector<TimedBuffer> buffers = RandomBuffers(/*seed=*/5, 200, 60, 1000);
  const int64_t load = HighestLoad(buffers);
  const SearchResult result = SearchPlaces(buffers, load, 1000);
  EXPECT_EQ(result.outcome, SearchResult::kLimit);
  EXPECT_LT(result.work, 3000);
}

}  // namespace
}  // namespace str::optimizer
