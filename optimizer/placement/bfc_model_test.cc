#include "optimizer/placement/bfc_model.h"

#include <random>
#include <vector>

#include "gtest/gtest.h"

namespace str::optimizer {
namespace {

constexpr int64_t kMiB = int64_t{1} << 20;

TEST(BfcModelTest, RoundsToGranules) {
  BfcModel model(5 * 256);
  EXPECT_EQ(model.Allocate(1), 0);
  EXPECT_EQ(model.Allocate(257), 256);
  EXPECT_EQ(model.highest_end(), 3 * 256);
  EXPECT_EQ(model.Allocate(0), 3 * 256) << "nothing takes a granule";
  EXPECT_EQ(model.Allocate(256), 4 * 256);
  EXPECT_EQ(model.Allocate(1), std::nullopt);
}

TEST(BfcModelTest, TakesTheSmallestChunkThatIsLargeEnough) {
  BfcModel model(100 * 256);
  const int64_t a = *model.Allocate(8 * 256);
  model.Allocate(256);
  const int64_t b = *model.Allocate(4 * 256);
  model.Allocate(256);
  model.Free(a);
  model.Free(b);
  // Both holes are large enough; that of b is smaller.
  EXPECT_EQ(model.Allocate(3 * 256), b);
  EXPECT_EQ(model.Allocate(3 * 256), a);
}

TEST(BfcModelTest, SplitsOnlyMuchLargerChunks) {
  BfcModel model(1000 * 256);
  const int64_t hole = *model.Allocate(10 * 256);
  model.Allocate(256);
  model.Free(hole);
  EXPECT_EQ(model.Allocate(6 * 256), hole);
  // All ten granules were handed out: nothing of them is left for a request of four.
  EXPECT_NE(model.Allocate(4 * 256), hole + 6 * 256);
  model.Free(hole);
  EXPECT_EQ(model.Allocate(5 * 256), hole);
  EXPECT_EQ(model.Allocate(5 * 256), hole + 5 * 256) << "twice as large: split";
}

TEST(BfcModelTest, SplitsWhatWouldWasteMoreThan128MiB) {
  BfcModel model(2000 * kMiB);
  const int64_t hole = *model.Allocate(400 * kMiB);
  model.Allocate(kMiB);
  model.Free(hole);
  EXPECT_EQ(model.Allocate(270 * kMiB), hole);
  EXPECT_EQ(model.Allocate(130 * kMiB), hole + 270 * kMiB);
}

TEST(BfcModelTest, JoinsFreeNeighbours) {
  BfcModel model(3 * 256);
  const int64_t a = *model.Allocate(256), b = *model.Allocate(256), c = *model.Allocate(256);
  model.Free(a);
  model.Free(c);
  EXPECT_EQ(model.free_chunks(), 2);
  EXPECT_EQ(model.Allocate(512), std::nullopt) << "fragmented";
  model.Free(b);
  EXPECT_EQ(model.free_chunks(), 1);
  EXPECT_EQ(model.Allocate(3 * 256), 0);
}

TEST(BfcModelTest, ChunksNeverOverlapAndAllIsFreeInTheEnd) {
  for (int seed = 1; seed <= 50; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    constexpr int64_t kRegion = 4096 * 256;
    BfcModel model(kRegion);
    std::map<int64_t, int64_t> held;
    for (int i = 0; i < 400; ++i) {
      if (!held.empty() && random() % 5 < 2) {
        const auto gone = std::next(held.begin(), random() % held.size());
        model.Free(gone->first);
        held.erase(gone);
        continue;
      }
      const int64_t bytes = 1 + random() % (1 << (8 + random() % 11));
      const std::optional<int64_t> offset = model.Allocate(bytes);
      if (!offset.has_value()) continue;
      const auto behind = held.lower_bound(*offset);
      EXPECT_TRUE(behind == held.end() || *offset + bytes <= behind->first);
      EXPECT_TRUE(behind == held.begin() || std::prev(behind)->first + std::prev(behind)->second <= *offset);
      EXPECT_LE(*offset + bytes, kRegion);
      held[*offset] = bytes;
    }
    for (const auto& [offset, bytes] : held) model.Free(offset);
    EXPECT_EQ(model.free_chunks(), 1);
    EXPECT_EQ(model.Allocate(kRegion), 0);
  }
}

}  // namespace
}  // namespace str::optimizer
