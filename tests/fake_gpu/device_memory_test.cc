#include "tests/fake_gpu/device_memory.h"

#include <cstring>

#include "gtest/gtest.h"

namespace str::fake_gpu {
namespace {

constexpr int64_t kMiB = 1 << 20;

TEST(DeviceMemoryTest, CountsToTheLimitExactly) {
  DeviceMemory memory(kMiB);
  const std::optional<Range> first = memory.Allocate(kMiB - 512);
  ASSERT_TRUE(first.has_value());
  EXPECT_FALSE(memory.Allocate(513).has_value());
  EXPECT_TRUE(memory.Allocate(1).has_value());
  EXPECT_EQ(memory.used_bytes(), kMiB);
  memory.GiveBack(first->begin);
  EXPECT_EQ(memory.used_bytes(), 512);
}

TEST(DeviceMemoryTest, FindsAllocationsByAnyOfTheirAddresses) {
  DeviceMemory memory(kMiB);
  const Range range = *memory.Allocate(1000);
  EXPECT_EQ(range.bytes, 1024);
  EXPECT_EQ(memory.Find(range.begin + 1023)->begin, range.begin);
  EXPECT_FALSE(memory.Find(range.end()).has_value());
  memory.GiveBack(range.begin);
  EXPECT_FALSE(memory.Find(range.begin).has_value());
}

TEST(DeviceMemoryTest, FreedAddressesAreReusedLate) {
  DeviceMemory memory(kMiB);
  const Range first = *memory.Allocate(512);
  memory.GiveBack(first.begin);
  memory.Recycle(first.begin);
  // Four times the limit is handed out before an address comes again.
  for (int64_t i = 1; i < 4 * kMiB / 512; ++i) {
    const Range next = *memory.Allocate(512);
    EXPECT_NE(next.begin, first.begin);
    memory.GiveBack(next.begin);
    memory.Recycle(next.begin);
  }
  EXPECT_EQ(memory.Allocate(512)->begin, first.begin);
}

TEST(DeviceMemoryTest, NewMemoryIsNotANumber) {
  DeviceMemory memory(kMiB);
  const Range range = *memory.Allocate(512);
  float value = 0;
  std::memcpy(&value, memory.Alias(range.begin), sizeof(value));
  EXPECT_NE(value, value);
}

TEST(DeviceMemoryDeathTest, TheHostCannotAccessDeviceAddresses) {
  DeviceMemory memory(kMiB);
  const Range range = *memory.Allocate(512);
  EXPECT_EXIT(*reinterpret_cast<volatile char*>(range.begin) = 1, testing::KilledBySignal(SIGSEGV), "");
}

}  // namespace
}  // namespace str::fake_gpu
