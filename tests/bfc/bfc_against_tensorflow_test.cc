// The model of TensorFlow's allocator (optimizer/placement/bfc_model.h) against TensorFlow's own: the same requests get
// the same offsets, or fail together. Addresses are made up: the allocator never touches what it hands out.
#include <cstdint>
#include <memory>
#include <optional>
#include <random>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "optimizer/placement/bfc_model.h"
#include "xla/tsl/framework/allocator.h"
#include "xla/tsl/framework/bfc_allocator.h"

namespace {

constexpr int64_t kBase = int64_t{1} << 45;

class MadeUpMemory : public tsl::SubAllocator {
 public:
  MadeUpMemory() : SubAllocator({}, {}) {}
  void* Alloc(size_t alignment, size_t num_bytes, size_t* bytes_received) override {
    *bytes_received = num_bytes;
    return reinterpret_cast<void*>(kBase);
  }
  void Free(void* ptr, size_t num_bytes) override {}
  bool SupportsCoalescing() const override { return false; }
};

class Tensorflow {
 public:
  explicit Tensorflow(int64_t region_bytes)
      : allocator_(std::make_unique<MadeUpMemory>(), region_bytes, "compared", Options()) {}

  std::optional<int64_t> Allocate(int64_t bytes) {
    void* const pointer = allocator_.AllocateRaw(
        tsl::Allocator::kAllocatorAlignment, bytes,
        tsl::AllocationAttributes(/*retry_on_failure=*/false, /*allocation_will_be_logged=*/true, nullptr));
    if (pointer == nullptr) return std::nullopt;
    return reinterpret_cast<int64_t>(pointer) - kBase;
  }
  void Free(int64_t offset) { allocator_.DeallocateRaw(reinterpret_cast<void*>(kBase + offset)); }

 private:
  static tsl::BFCAllocator::Options Options() {
    tsl::BFCAllocator::Options options;
    options.allow_growth = false;
    options.allow_retry_on_failure = false;
    return options;
  }
  tsl::BFCAllocator allocator_;
};

// `largest_bits`: requests are of up to 2^largest_bits bytes, small ones as likely as large ones.
// Returns how many requests failed: none if the region was never full, and then fragmentation was not compared.
int Compare(int seed, int64_t region_bytes, int largest_bits) {
  SCOPED_TRACE(seed);
  std::mt19937_64 random(seed);
  str::optimizer::BfcModel model(region_bytes);
  Tensorflow tensorflow(region_bytes);
  std::vector<int64_t> held;
  int failed = 0;
  for (int i = 0; i < 600; ++i) {
    if (!held.empty() && random() % 5 < 2) {
      std::swap(held[random() % held.size()], held.back());
      model.Free(held.back());
      tensorflow.Free(held.back());
      held.pop_back();
      continue;
    }
    const int64_t bytes = 1 + static_cast<int64_t>(random() % (uint64_t{1} << (4 + random() % (largest_bits - 3))));
    const std::optional<int64_t> offset = model.Allocate(bytes);
    if (const std::optional<int64_t> theirs = tensorflow.Allocate(bytes); offset != theirs) {
      ADD_FAILURE() << "request " << i << " of " << bytes << " bytes: " << offset.value_or(-1) << ", TensorFlow "
                    << theirs.value_or(-1);
      return failed;
    }
    if (offset.has_value()) {
      held.push_back(*offset);
    } else {
      ++failed;
    }
  }
  for (const int64_t offset : held) tensorflow.Free(offset);
  return failed;
}

TEST(BfcAgainstTensorflowTest, SmallRequestsInASmallRegion) {
  int failed = 0;
  for (int seed = 1; seed <= 40; ++seed) failed += Compare(seed, (int64_t{1} << 20) + 256 * seed, 18);
  EXPECT_GT(failed, 100);
}

// Few: TensorFlow's allocator keeps a number for every 256 bytes of its region.
TEST(BfcAgainstTensorflowTest, TensorsOfHundredsOfMegabytes) {
  int failed = 0;
  for (int seed = 1; seed <= 6; ++seed) failed += Compare(seed, int64_t{3} << 30, 30);
  EXPECT_GT(failed, 10);
}

}  // namespace
