#include "tf_plugin/device/virtual_region.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <iterator>
#include <map>
#include <random>
#include <vector>

#include "gtest/gtest.h"

namespace str::device {
namespace {

constexpr int64_t kMiB = int64_t{1} << 20;

int64_t PageBytes() { return sysconf(_SC_PAGESIZE); }

// Pages of [pointer, pointer + bytes) that cost memory now. `pointer` is at the start of a page.
std::vector<bool> ResidentPages(char* pointer, int64_t bytes) {
  std::vector<unsigned char> state((bytes + PageBytes() - 1) / PageBytes());
  EXPECT_EQ(mincore(pointer, bytes, state.data()), 0);
  std::vector<bool> resident;
  for (unsigned char page : state) resident.push_back((page & 1) != 0);
  return resident;
}

int64_t ResidentBytes(char* pointer, int64_t bytes) {
  const std::vector<bool> pages = ResidentPages(pointer, bytes);
  return std::count(pages.begin(), pages.end(), true) * PageBytes();
}

class VirtualRegionTest : public ::testing::Test {
 protected:
  VirtualRegionTest() {
    base_ = static_cast<char*>(region_.Allocate(256, 256));
    region_.Free(base_, 256);
  }

  char* Allocate(int64_t bytes, int64_t alignment = 256) {
    return static_cast<char*>(region_.Allocate(bytes, alignment));
  }

  VirtualRegion region_{kMiB};
  char* base_ = nullptr;
};

TEST_F(VirtualRegionTest, ReservesWhatIsAskedForInWholePages) {
  EXPECT_EQ(region_.capacity_bytes(), kMiB);
  EXPECT_EQ(VirtualRegion(kMiB + 1).capacity_bytes(), kMiB + PageBytes());
}

TEST_F(VirtualRegionTest, BlocksAreSplitExactly) {
  EXPECT_EQ(Allocate(256), base_);
  EXPECT_EQ(Allocate(768), base_ + 256);
  EXPECT_EQ(Allocate(256), base_ + 1024);
  // The hole of 768 gives 512 and keeps 256, to the byte.
  region_.Free(base_ + 256, 768);
  EXPECT_EQ(Allocate(512), base_ + 256);
  EXPECT_EQ(Allocate(256), base_ + 768);
  EXPECT_EQ(Allocate(256), base_ + 1280);
}

TEST_F(VirtualRegionTest, TakesTheSmallestBlockThatFits) {
  char* const large = Allocate(4096);
  Allocate(256);
  char* const small = Allocate(1024);
  Allocate(256);
  region_.Free(large, 4096);
  region_.Free(small, 1024);
  EXPECT_EQ(Allocate(512), small);
  EXPECT_EQ(Allocate(2048), large);
}

TEST_F(VirtualRegionTest, TakesTheLowestAddressAmongEquals) {
  char* const first = Allocate(1024);
  Allocate(256);
  char* const second = Allocate(1024);
  Allocate(256);
  region_.Free(second, 1024);
  region_.Free(first, 1024);
  EXPECT_EQ(Allocate(1024), first);
  EXPECT_EQ(Allocate(1024), second);
}

TEST_F(VirtualRegionTest, FreedNeighboursBecomeOneBlock) {
  char* const a = Allocate(1024);
  char* const b = Allocate(1024);
  char* const c = Allocate(1024);
  Allocate(256);
  // Both sides of b are free when it goes: one block of 3072.
  region_.Free(a, 1024);
  region_.Free(c, 1024);
  region_.Free(b, 1024);
  EXPECT_EQ(Allocate(3072), a);
}

TEST_F(VirtualRegionTest, EverythingFreedIsWholeAgain) {
  char* const a = Allocate(kMiB / 2);
  char* const b = Allocate(kMiB / 2);
  EXPECT_EQ(Allocate(256), nullptr);
  region_.Free(a, kMiB / 2);
  region_.Free(b, kMiB / 2);
  EXPECT_EQ(Allocate(kMiB), base_);
}

TEST_F(VirtualRegionTest, NothingFitsIsNull) {
  EXPECT_EQ(Allocate(kMiB + 256), nullptr);
  Allocate(kMiB - 256);
  EXPECT_EQ(Allocate(512), nullptr);
  EXPECT_NE(Allocate(256), nullptr);
}

TEST_F(VirtualRegionTest, PointersAreAligned) {
  // Not a multiple of a huge page, so that the region starts at any page.
  VirtualRegion region(8 * kMiB + PageBytes());
  region.Allocate(256, 256);
  for (int64_t alignment : {int64_t{64}, int64_t{4096}, int64_t{65536}, 2 * kMiB}) {
    void* const pointer = region.Allocate(256, alignment);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(pointer) % alignment, 0) << alignment;
  }
}

TEST_F(VirtualRegionTest, RoomLostToAlignmentStaysUsable) {
  Allocate(256);
  char* const aligned = Allocate(256, 4096);
  ASSERT_EQ(aligned, base_ + 4096);
  EXPECT_EQ(Allocate(4096 - 256), base_ + 256);
}

TEST_F(VirtualRegionTest, AlignmentPassesOverBlocksThatAreTooTight) {
  Allocate(256);
  char* const hole = Allocate(4096);
  Allocate(256);
  region_.Free(hole, 4096);
  // 4096 bytes are free at 256, but no 4096 of them are aligned.
  EXPECT_EQ(Allocate(4096, 4096), base_ + 8192);
}

TEST_F(VirtualRegionTest, AllocateAtTakesExactlyThatRange) {
  EXPECT_EQ(region_.AllocateAt(8192, 512), base_ + 8192);
  // Both remainders are still there.
  EXPECT_EQ(region_.AllocateAt(0, 8192), base_);
  EXPECT_EQ(region_.AllocateAt(8192 + 512, kMiB - 8192 - 512), base_ + 8192 + 512);
  EXPECT_EQ(Allocate(256), nullptr);
}

TEST_F(VirtualRegionTest, AllocateAtRefusesWhatIsTaken) {
  ASSERT_NE(region_.AllocateAt(1024, 1024), nullptr);
  EXPECT_EQ(region_.AllocateAt(1024, 1024), nullptr) << "the same range";
  EXPECT_EQ(region_.AllocateAt(1280, 256), nullptr) << "inside of it";
  EXPECT_EQ(region_.AllocateAt(768, 512), nullptr) << "over its start";
  EXPECT_EQ(region_.AllocateAt(1792, 512), nullptr) << "over its end";
  EXPECT_EQ(region_.AllocateAt(0, 4096), nullptr) << "around it";
  EXPECT_NE(region_.AllocateAt(768, 256), nullptr) << "up to it";
  EXPECT_NE(region_.AllocateAt(2048, 256), nullptr) << "behind it";
}

TEST_F(VirtualRegionTest, AllocateAtRefusesWhatIsOutside) {
  EXPECT_EQ(region_.AllocateAt(kMiB, 256), nullptr);
  EXPECT_EQ(region_.AllocateAt(kMiB - 256, 512), nullptr);
  EXPECT_EQ(region_.AllocateAt(-256, 256), nullptr);
}

TEST_F(VirtualRegionTest, RefusalsTakeNothing) {
  ASSERT_NE(region_.AllocateAt(1024, 1024), nullptr);
  ASSERT_EQ(region_.AllocateAt(768, 512), nullptr);
  EXPECT_EQ(region_.AllocateAt(0, 1024), base_);
  EXPECT_EQ(region_.AllocateAt(2048, kMiB - 2048), base_ + 2048);
}

TEST_F(VirtualRegionTest, ContainsItsOwnAddressesOnly) {
  int elsewhere = 0;
  EXPECT_TRUE(region_.Contains(base_));
  EXPECT_TRUE(region_.Contains(base_ + kMiB - 1));
  EXPECT_FALSE(region_.Contains(base_ + kMiB));
  EXPECT_FALSE(region_.Contains(&elsewhere));
}

TEST_F(VirtualRegionTest, FreeingTwiceEndsTheProcess) {
  char* const first = Allocate(1024);
  char* const second = Allocate(1024);
  Allocate(256);
  region_.Free(second, 1024);
  EXPECT_DEATH(region_.Free(second, 1024), "freed twice");
  region_.Free(first, 1024);
  // In the meantime it is part of the block that starts at `first`, which is freed twice as well.
  EXPECT_DEATH(region_.Free(second, 1024), "freed twice");
  EXPECT_DEATH(region_.Free(first, 1024), "freed twice");
}

TEST_F(VirtualRegionTest, ReleaseHolesReturnsPagesAndKeepsWhatIsLive) {
  const int64_t page = PageBytes();
  char* const before = Allocate(page);
  char* const hole = Allocate(64 * page);
  char* const after = Allocate(page + 256);
  char* const tail = Allocate(32 * page);
  std::memset(before, 1, page);
  std::memset(hole, 2, 64 * page);
  std::memset(after, 3, page + 256);
  std::memset(tail, 4, 32 * page);
  region_.Free(hole, 64 * page);
  region_.Free(tail, 32 * page);
  ASSERT_EQ(ResidentBytes(hole, 64 * page), 64 * page) << "freeing alone returns nothing";
  EXPECT_GE(region_.dirty_free_bytes(), 96 * page);

  region_.ReleaseHoles();
  EXPECT_EQ(ResidentBytes(hole, 64 * page), 0);
  EXPECT_EQ(ResidentBytes(base_, kMiB), 3 * page) << "the live blocks' pages, one of them shared with the tail";
  EXPECT_EQ(region_.dirty_free_bytes(), 0);
  EXPECT_EQ(std::count(before, before + page, 1), page);
  EXPECT_EQ(std::count(after, after + page + 256, 3), page + 256);

  // What was returned can be used again, and then counts again.
  char* const again = Allocate(64 * page);
  ASSERT_EQ(again, hole);
  std::memset(again, 5, 64 * page);
  region_.Free(again, 64 * page);
  EXPECT_GE(region_.dirty_free_bytes(), 64 * page);
}

TEST_F(VirtualRegionTest, UntouchedAddressSpaceIsNotCountedAsResident) {
  EXPECT_LE(region_.dirty_free_bytes(), 256);
  char* const block = Allocate(64 * 1024);
  region_.Free(block, 64 * 1024);
  EXPECT_EQ(region_.dirty_free_bytes(), 64 * 1024);
}

// A region as a map of taken ranges, searched from the start every time.
class Reference {
 public:
  explicit Reference(int64_t bytes) : bytes_(bytes) {}

  // Offset, or -1.
  int64_t Allocate(int64_t bytes, int64_t alignment) {
    int64_t best = -1;
    int64_t best_hole = bytes_ + 1;
    int64_t start = 0;
    const auto consider = [&](int64_t end) {
      const int64_t offset = (start + alignment - 1) / alignment * alignment;
      if (offset + bytes <= end && end - start < best_hole) {
        best = offset;
        best_hole = end - start;
      }
    };
    for (const auto& [offset, size] : taken_) {
      consider(offset);
      start = offset + size;
    }
    consider(bytes_);
    if (best >= 0) taken_[best] = bytes;
    return best;
  }

  int64_t AllocateAt(int64_t offset, int64_t bytes) {
    if (offset + bytes > bytes_) return -1;
    for (const auto& [start, size] : taken_) {
      if (offset < start + size && start < offset + bytes) return -1;
    }
    taken_[offset] = bytes;
    return offset;
  }

  void Free(int64_t offset) { taken_.erase(offset); }
  const std::map<int64_t, int64_t>& taken() const { return taken_; }

  // Resident bytes on pages that hold nothing live: what ReleaseHoles could return.
  int64_t ReturnableBytes(const std::vector<bool>& resident) const {
    std::vector<bool> returnable = resident;
    const int64_t page = PageBytes();
    for (const auto& [offset, size] : taken_) {
      for (int64_t p = offset / page; p <= (offset + size - 1) / page; ++p) returnable[p] = false;
    }
    return std::count(returnable.begin(), returnable.end(), true) * page;
  }

 private:
  const int64_t bytes_;
  std::map<int64_t, int64_t> taken_;  // offset -> bytes
};

// STR_FUZZ_SEED=N repeats a run.
TEST(VirtualRegionRandomTest, BehavesAsTheReference) {
  const char* const given = std::getenv("STR_FUZZ_SEED");
  const unsigned seed = given != nullptr ? std::strtoul(given, nullptr, 10) : std::random_device()();
  std::cout << "STR_FUZZ_SEED=" << seed << std::endl;
  std::mt19937 random(seed);
  const auto below = [&](int64_t bound) { return static_cast<int64_t>(random() % bound); };

  VirtualRegion region(kMiB);
  Reference reference(kMiB);
  char* const base = static_cast<char*>(region.AllocateAt(0, 256));
  region.Free(base, 256);
  std::map<int64_t, char> contents;
  for (int i = 0; i < 4000; ++i) {
    const int64_t bytes = 256 * (1 + (below(8) == 0 ? below(400) : below(40)));
    const int kind = static_cast<int>(below(100));
    int64_t offset = -1;
    if (kind < 35) {
      const int64_t alignment = int64_t{64} << below(7);
      char* const got = static_cast<char*>(region.Allocate(bytes, alignment));
      offset = reference.Allocate(bytes, alignment);
      ASSERT_EQ(got == nullptr ? -1 : got - base, offset) << "operation " << i;
    } else if (kind < 50) {
      const int64_t wanted = 256 * below(kMiB / 256);
      char* const got = static_cast<char*>(region.AllocateAt(wanted, bytes));
      offset = reference.AllocateAt(wanted, bytes);
      ASSERT_EQ(got == nullptr ? -1 : got - base, offset) << "operation " << i;
    } else if (kind < 98 && !reference.taken().empty()) {
      const auto block = std::next(reference.taken().begin(), below(reference.taken().size()));
      const auto [start, size] = *block;
      ASSERT_EQ(std::count(base + start, base + start + size, contents[start]), size) << "operation " << i;
      region.Free(base + start, size);
      reference.Free(start);
    } else {
      region.ReleaseHoles();
      ASSERT_EQ(reference.ReturnableBytes(ResidentPages(base, kMiB)), 0) << "operation " << i;
    }
    if (offset >= 0) {
      contents[offset] = static_cast<char>(1 + below(100));
      std::memset(base + offset, contents[offset], bytes);
    }
    ASSERT_GE(region.dirty_free_bytes(), 0);
    if (i % 16 == 0) {
      ASSERT_GE(region.dirty_free_bytes(), reference.ReturnableBytes(ResidentPages(base, kMiB))) << "operation " << i;
    }
  }
}

}  // namespace
}  // namespace str::device
