#include "tf_plugin/gpu/gpu_memory.h"

#include <cstdlib>
#include <map>
#include <string>

#include "absl/strings/match.h"
#include "gtest/gtest.h"

namespace str::gpu {
namespace {

using device::OpRecord;
using tensorflow::AllocationAttributes;

constexpr int64_t kMiB = int64_t{1} << 20;

// TensorFlow's allocator: has so many bytes, and notes whether it may wait.
class BaseAllocator : public tensorflow::Allocator {
 public:
  explicit BaseAllocator(int64_t bytes) : bytes_(bytes) {}
  ~BaseAllocator() override {
    for (const auto& [pointer, bytes] : blocks_) std::free(pointer);
  }

  std::string Name() override { return "base"; }
  void* AllocateRaw(size_t alignment, size_t bytes) override { return nullptr; }
  void* AllocateRaw(size_t, size_t bytes, const AllocationAttributes& attributes) override {
    ++(attributes.retry_on_failure ? waiting_calls : calls);
    freed_by_func = attributes.freed_by_func;
    if (in_use() + static_cast<int64_t>(bytes) > bytes_) return nullptr;
    void* const pointer = std::malloc(bytes);
    blocks_[pointer] = bytes;
    return pointer;
  }
  void DeallocateRaw(void* pointer) override {
    ASSERT_EQ(blocks_.erase(pointer), 1);
    std::free(pointer);
  }
  std::optional<tensorflow::AllocatorStats> GetStats() override {
    tensorflow::AllocatorStats stats;
    stats.bytes_in_use = in_use();
    stats.bytes_limit = bytes_;
    return stats;
  }
  int64_t in_use() const {
    int64_t sum = 0;
    for (const auto& [pointer, bytes] : blocks_) sum += bytes;
    return sum;
  }

  int calls = 0, waiting_calls = 0;
  std::function<uint64_t()>* freed_by_func = nullptr;

 private:
  const int64_t bytes_;
  std::map<void*, int64_t> blocks_;
};

// An allocation of `bytes` with this place.
void* AllocatePlaced(GpuMemory& memory, int64_t bytes, int64_t offset) {
  config::Step step;
  config::Place& place = *step.add_place();
  place.set_bytes(bytes);
  place.set_offset(offset);
  OpRecord op;
  op.places = &step.place();
  device::OpScope scope(&op);
  return memory.AllocateRaw(64, bytes);
}

class GpuMemoryTest : public ::testing::Test {
 protected:
  BaseAllocator base_{8 * kMiB};
  GpuMemory memory_{device::kNoLimit, &base_};
};

TEST_F(GpuMemoryTest, AttributesReachTheAllocatorBeneath) {
  std::function<uint64_t()> count = [] { return uint64_t{5}; };
  const AllocationAttributes at_once(/*retry_on_failure=*/false, false, &count);
  memory_.DeallocateRaw(memory_.AllocateRaw(64, kMiB, at_once));
  EXPECT_EQ(base_.freed_by_func, &count);
  EXPECT_EQ(memory_.AllocateRaw(64, 9 * kMiB, at_once), nullptr);
  EXPECT_EQ(base_.waiting_calls, 0);
  EXPECT_EQ(memory_.AllocateRaw(64, 9 * kMiB, AllocationAttributes()), nullptr);
  EXPECT_EQ(memory_.AllocateRaw(64, 9 * kMiB), nullptr) << "waiting is the default";
  EXPECT_EQ(base_.waiting_calls, 2);
}

TEST_F(GpuMemoryTest, ARefusalBelowTheLimitIsNotCalledTheLimit) {
  GpuMemory memory(100 * kMiB, &base_);
  memory.PrepareArena(2 * kMiB);
  OpRecord op;
  {
    device::OpScope scope(&op);
    EXPECT_EQ(memory.AllocateRaw(64, 9 * kMiB), nullptr);
  }
  EXPECT_TRUE(absl::EndsWith(op.refused,
                             "limit 100.00 MiB (104857600 bytes); not the limit: TensorFlow's allocator base has no "
                             "such block, with 2.00 MiB (2097152 bytes) in use of 8.00 MiB (8388608 bytes), an arena "
                             "for planned places of 2.00 MiB (2097152 bytes) among them"))
      << op.refused;
}

TEST_F(GpuMemoryTest, ALargerPlanGetsALargerArena) {
  memory_.PrepareArena(kMiB);
  EXPECT_EQ(base_.in_use(), kMiB);
  memory_.PrepareArena(6 * kMiB);
  EXPECT_EQ(base_.in_use(), 6 * kMiB) << "the one before made room";
  memory_.PrepareArena(2 * kMiB);
  EXPECT_EQ(base_.in_use(), 6 * kMiB) << "large enough";
}

TEST_F(GpuMemoryTest, WhatLiesInTheSmallerArenaStaysThere) {
  memory_.PrepareArena(kMiB);
  void* const first = AllocatePlaced(memory_, kMiB / 2, 0);
  void* const second = AllocatePlaced(memory_, kMiB / 2, kMiB / 2);
  ASSERT_EQ(static_cast<char*>(second) - static_cast<char*>(first), kMiB / 2);
  memory_.PrepareArena(3 * kMiB);
  EXPECT_EQ(base_.in_use(), 4 * kMiB);
  void* const low = AllocatePlaced(memory_, kMiB / 2, 0);
  void* const high = AllocatePlaced(memory_, kMiB, 2 * kMiB);
  EXPECT_EQ(static_cast<char*>(high) - static_cast<char*>(low), 2 * kMiB) << "both in the larger one";
  memory_.DeallocateRaw(first);
  memory_.DeallocateRaw(low);
  EXPECT_EQ(base_.in_use(), 4 * kMiB);
  memory_.DeallocateRaw(second);
  EXPECT_EQ(base_.in_use(), 3 * kMiB) << "nothing is left in the smaller one";
  memory_.DeallocateRaw(high);
  EXPECT_EQ(memory_.GetStats()->bytes_in_use, 0);
}

TEST_F(GpuMemoryTest, WithoutMemoryForALargerArenaTheSmallerOneStays) {
  memory_.PrepareArena(2 * kMiB);
  memory_.PrepareArena(9 * kMiB);
  EXPECT_EQ(base_.in_use(), 2 * kMiB);
  void* const low = AllocatePlaced(memory_, kMiB, 0);
  EXPECT_EQ(base_.in_use(), 2 * kMiB) << "placed";
  memory_.PrepareArena(9 * kMiB);
  void* const beyond = AllocatePlaced(memory_, kMiB, 4 * kMiB);
  EXPECT_EQ(base_.in_use(), 3 * kMiB) << "elsewhere";
  memory_.DeallocateRaw(low);
  memory_.DeallocateRaw(beyond);
}

}  // namespace
}  // namespace str::gpu
