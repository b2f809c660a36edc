#include "tf_plugin/gpu/pinned_pool.h"

#include <cstdlib>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "config/status_testing.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace str::gpu {
namespace {

namespace se = stream_executor;
constexpr int64_t kNoLimit = std::numeric_limits<int64_t>::max();

class HeapBlock : public se::MemoryAllocation {
 public:
  explicit HeapBlock(int64_t bytes) : data_(bytes) {}
  se::DeviceAddressBase address() const override {
    return se::DeviceAddressBase(const_cast<char*>(data_.data()), data_.size());
  }

 private:
  std::vector<char> data_;
};

absl::StatusOr<PinnedPool::Block> FromHeap(int64_t bytes) { return std::make_unique<HeapBlock>(bytes); }

// Never asked for anything: only which one is waited for counts.
class NoEvent : public se::Event {};

std::shared_ptr<se::Event> NewEvent() { return std::make_shared<NoEvent>(); }

TEST(PinnedPoolTest, WhatIsReservedIsTakenFromTheSystemOnce) {
  PinnedPool pool(FromHeap, kNoLimit);
  EXPECT_OK(pool.Reserve(4096));
  EXPECT_OK(pool.Reserve(2048));
  EXPECT_EQ(pool.pinned_bytes(), 4096);
  {
    const absl::StatusOr<PinnedBuffer> a = pool.Take(2048), b = pool.Take(1000);
    ASSERT_TRUE(a.ok() && b.ok());
    EXPECT_GE(b->data(), a->data() + 2048);
  }
  ASSERT_TRUE(pool.Take(4096).ok());
  EXPECT_EQ(pool.blocks(), 1);
  EXPECT_EQ(pool.pinned_bytes(), 4096);
}

TEST(PinnedPoolTest, WhatDoesNotFitGetsABlockThatIsKept) {
  PinnedPool pool(FromHeap, kNoLimit);
  EXPECT_OK(pool.Reserve(1024));
  for (int i = 0; i < 3; ++i) {
    const absl::StatusOr<PinnedBuffer> a = pool.Take(1024), b = pool.Take(512);
    ASSERT_TRUE(a.ok() && b.ok());
  }
  EXPECT_EQ(pool.blocks(), 2);
  EXPECT_EQ(pool.pinned_bytes(), 1536);
}

TEST(PinnedPoolTest, WhoTakesMemoryAgainWaitsForItsLastUse) {
  PinnedPool pool(FromHeap, kNoLimit);
  EXPECT_OK(pool.Reserve(1024));
  const auto first = NewEvent(), second = NewEvent();
  {
    absl::StatusOr<PinnedBuffer> a = pool.Take(256), b = pool.Take(512);
    ASSERT_TRUE(a.ok() && b.ok());
    EXPECT_TRUE(a->before().empty());
    a->UsedUntil(NewEvent());
    a->UsedUntil(first);
    b->UsedUntil(second);
  }
  {
    absl::StatusOr<PinnedBuffer> both = pool.Take(700);
    ASSERT_TRUE(both.ok());
    EXPECT_THAT(both->before(), ::testing::UnorderedElementsAre(first, second));
    EXPECT_TRUE(pool.Take(256)->before().empty()) << "nobody used it";
  }
  // The larger buffer ended without use: those before it are still to be waited for.
  absl::StatusOr<PinnedBuffer> again = pool.Take(256);
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(again->before(), std::vector<PinnedBuffer::Event>({first}));
}

TEST(PinnedPoolTest, ALaterUseOfTheSameMemoryReplacesTheEarlier) {
  PinnedPool pool(FromHeap, kNoLimit);
  EXPECT_OK(pool.Reserve(1024));
  const auto last = NewEvent();
  for (int i = 0; i < 100; ++i) {
    absl::StatusOr<PinnedBuffer> buffer = pool.Take(512);
    ASSERT_TRUE(buffer.ok());
    ASSERT_LE(buffer->before().size(), 1);
    buffer->UsedUntil(i == 99 ? last : NewEvent());
  }
  EXPECT_EQ(pool.Take(512)->before(), std::vector<PinnedBuffer::Event>({last}));
}

TEST(PinnedPoolTest, TheLimitIsKeptAndNamed) {
  PinnedPool pool(FromHeap, 1000);
  EXPECT_TRUE(config::IsError(pool.Reserve(1024), absl::StatusCode::kResourceExhausted, "STR_HOST_LIMIT"));
  EXPECT_OK(pool.Reserve(512));
  EXPECT_TRUE(config::IsError(pool.Take(1024).status(), absl::StatusCode::kResourceExhausted, "STR_HOST_LIMIT"));
}

TEST(PinnedPoolTest, ARefusalOfTheSystemIsAnErrorWithTheSizes) {
  PinnedPool pool([](int64_t) { return absl::InternalError("locked memory is used up"); }, kNoLimit);
  EXPECT_TRUE(config::IsError(pool.Reserve(int64_t{1} << 20), absl::StatusCode::kResourceExhausted,
                              "1.00 MiB (1048576 bytes) of pinned host memory"));
  EXPECT_TRUE(
      config::IsError(pool.Take(256).status(), absl::StatusCode::kResourceExhausted, "locked memory is used up"));
}

}  // namespace
}  // namespace str::gpu
