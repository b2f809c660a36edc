#include "tf_plugin/device/offset_ranges.h"

#include <random>
#include <vector>

#include "gtest/gtest.h"

namespace str::device {
namespace {

TEST(OffsetRangesTest, TakesTheLowestGapThatFits) {
  OffsetRanges ranges(100);
  EXPECT_EQ(ranges.Take(30), 0);
  EXPECT_EQ(ranges.Take(20), 30);
  EXPECT_EQ(ranges.Take(50), 50);
  EXPECT_EQ(ranges.Take(1), std::nullopt);
  ranges.Give(30);
  EXPECT_EQ(ranges.Take(21), std::nullopt);
  EXPECT_EQ(ranges.Take(20), 30);
  EXPECT_EQ(ranges.highest_end(), 100);
}

TEST(OffsetRangesTest, APlaceIsTakenOnlyIfAllOfItIsFree) {
  OffsetRanges ranges(100);
  EXPECT_TRUE(ranges.TakeAt(40, 20));
  EXPECT_FALSE(ranges.TakeAt(40, 20));
  EXPECT_FALSE(ranges.TakeAt(50, 5));
  EXPECT_FALSE(ranges.TakeAt(30, 11));
  EXPECT_FALSE(ranges.TakeAt(59, 5));
  EXPECT_TRUE(ranges.TakeAt(30, 10));
  EXPECT_TRUE(ranges.TakeAt(60, 40));
  EXPECT_FALSE(ranges.TakeAt(-10, 5));
  ranges.Give(60);
  EXPECT_FALSE(ranges.TakeAt(60, 41)) << "beyond the end";
  EXPECT_FALSE(ranges.empty());
  ranges.Give(30);
  ranges.Give(40);
  EXPECT_TRUE(ranges.empty());
}

TEST(OffsetRangesTest, RandomTakesAndGivesNeverOverlap) {
  constexpr int kCapacity = 64;
  OffsetRanges ranges(kCapacity);
  std::vector<int> owner(kCapacity, -1);
  std::vector<std::pair<int64_t, int>> held;  // offset, bytes
  std::mt19937 random(7);
  for (int i = 0; i < 5000; ++i) {
    const int bytes = 1 + static_cast<int>(random() % 12);
    if (random() % 2 == 0 && !held.empty()) {
      const size_t which = random() % held.size();
      const auto [offset, length] = held[which];
      std::fill_n(owner.begin() + offset, length, -1);
      ranges.Give(offset);
      held.erase(held.begin() + which);
      continue;
    }
    const bool placed = random() % 2 == 0;
    std::optional<int64_t> offset;
    if (placed) {
      const int64_t wanted = random() % kCapacity;
      if (ranges.TakeAt(wanted, bytes)) offset = wanted;
      bool free = wanted + bytes <= kCapacity;
      for (int64_t k = wanted; free && k < wanted + bytes; ++k) free = owner[k] < 0;
      ASSERT_EQ(offset.has_value(), free);
    } else {
      offset = ranges.Take(bytes);
    }
    if (!offset.has_value()) continue;
    for (int64_t k = *offset; k < *offset + bytes; ++k) {
      ASSERT_EQ(owner[k], -1);
      owner[k] = i;
    }
    held.emplace_back(*offset, bytes);
  }
}

}  // namespace
}  // namespace str::device
