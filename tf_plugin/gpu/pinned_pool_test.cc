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

class PolledEvent : public se::Event {
 public:
  Status PollForStatus() override { return happened_ ? Status::kComplete : Status::kPending; }
  void Happen() { happened_ = true; }

 private:
  bool happened_ = false;
};

std::shared_ptr<PolledEvent> NewEvent() { return std::make_shared<PolledEvent>(); }

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

TEST(PinnedPoolTest, UsesDoNotPileUpWhateverTheSizes) {
  PinnedPool pool(FromHeap, kNoLimit);
  EXPECT_OK(pool.Reserve(64 * 256));
  for (int i = 0; i < 1000; ++i) {
    // Ranges that overlap and do not contain each other.
    absl::StatusOr<PinnedBuffer> first = pool.Take(256 * (1 + i % 7)), second = pool.Take(256 * (1 + i % 5));
    ASSERT_TRUE(first.ok() && second.ok());
    first->UsedUntil(NewEvent());
    second->UsedUntil(NewEvent());
  }
  EXPECT_LE(pool.uses(), 12) << "no more than there are granules in the largest two";
}

TEST(PinnedPoolTest, WhatLiesBesideALaterUseIsStillWaitedFor) {
  PinnedPool pool(FromHeap, kNoLimit);
  EXPECT_OK(pool.Reserve(1024));
  const auto all = NewEvent(), part = NewEvent();
  pool.Take(1024)->UsedUntil(all);
  {
    absl::StatusOr<PinnedBuffer> before = pool.Take(256), middle = pool.Take(512);
    ASSERT_TRUE(before.ok() && middle.ok());
    EXPECT_EQ(middle->before(), std::vector<PinnedBuffer::Event>({all}));
    middle->UsedUntil(part);
  }
  absl::StatusOr<PinnedBuffer> again = pool.Take(1024);
  ASSERT_TRUE(again.ok());
  EXPECT_THAT(again->before(), ::testing::UnorderedElementsAre(all, part, all));
}

TEST(PinnedPoolTest, ALargerPlanReplacesWhatNobodyUses) {
  PinnedPool pool(FromHeap, 4096);
  EXPECT_OK(pool.Reserve(2048));
  const auto event = NewEvent();
  pool.Take(256)->UsedUntil(event);
  EXPECT_TRUE(config::IsError(pool.Reserve(4096), absl::StatusCode::kResourceExhausted, "STR_HOST_LIMIT"))
      << "a copy may be under way";
  event->Happen();
  {
    const absl::StatusOr<PinnedBuffer> held = pool.Take(256);
    EXPECT_TRUE(config::IsError(pool.Reserve(4096), absl::StatusCode::kResourceExhausted, "STR_HOST_LIMIT"));
  }
  EXPECT_OK(pool.Reserve(4096));
  EXPECT_EQ(pool.pinned_bytes(), 4096);
  EXPECT_EQ(pool.blocks(), 1);
  EXPECT_TRUE(pool.Take(4096)->before().empty());
}

TEST(PinnedPoolTest, MemoryBeyondThePlansIsReported) {
  PinnedPool pool(FromHeap, kNoLimit);
  ::testing::internal::CaptureStderr();
  EXPECT_OK(pool.Reserve(1024));
  EXPECT_OK(pool.Take(1024).status());
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
  ::testing::internal::CaptureStderr();
  EXPECT_OK(pool.Take(2048).status());
  EXPECT_THAT(::testing::internal::GetCapturedStderr(),
              ::testing::StartsWith("STR-3015 swapped tensors take 3.00 KiB"));
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
