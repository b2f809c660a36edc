#include "tf_plugin/kernels/host_pool.h"

#include <cstring>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "gtest/gtest.h"

namespace str::kernels {
namespace {

HostPool& Pool() { return HostPool::Get(); }

TEST(HostPoolTest, ABufferIsUsedAgainForTheSameSize) {
  std::optional<HostBuffer> first(Pool().Take(10000));
  char* const data = first->data();
  ASSERT_NE(data, nullptr);
  std::memset(data, 1, 10000);
  first.reset();
  const HostBuffer other_size = Pool().Take(20000);
  EXPECT_NE(other_size.data(), data);
  const HostBuffer again = Pool().Take(10000);
  EXPECT_EQ(again.data(), data);
  const HostBuffer more = Pool().Take(10000);
  EXPECT_NE(more.data(), data) << "in use";
}

TEST(HostPoolTest, CountsWhatIsHandedOut) {
  const int64_t before = Pool().bytes_in_use();
  {
    const HostBuffer a = Pool().Take(1 << 20);
    const HostBuffer b = Pool().Take(2 << 20);
    EXPECT_EQ(Pool().bytes_in_use(), before + (3 << 20));
  }
  EXPECT_EQ(Pool().bytes_in_use(), before) << "kept for the next step, but not in use";
  EXPECT_GE(Pool().peak_bytes_in_use(), before + (3 << 20));
}

TEST(HostPoolTest, AMovedBufferIsGivenBackOnce) {
  const int64_t before = Pool().bytes_in_use();
  {
    HostBuffer a = Pool().Take(4096);
    char* const data = a.data();
    const HostBuffer b = std::move(a);
    EXPECT_EQ(b.data(), data);
    EXPECT_EQ(Pool().bytes_in_use(), before + 4096);
  }
  EXPECT_EQ(Pool().bytes_in_use(), before);
}

TEST(HostPoolTest, WhatTheHostDoesNotHaveIsNull) {
  const int64_t before = Pool().bytes_in_use();
  {
    const HostBuffer impossible = Pool().Take(int64_t{1} << 60);
    EXPECT_EQ(impossible.data(), nullptr);
    EXPECT_EQ(Pool().bytes_in_use(), before);
  }
  EXPECT_EQ(Pool().bytes_in_use(), before);
}

TEST(HostPoolTest, EmptyTensorsNeedNoBytes) {
  const int64_t before = Pool().bytes_in_use();
  { const HostBuffer empty = Pool().Take(0); }
  EXPECT_EQ(Pool().bytes_in_use(), before);
}

TEST(HostPoolTest, UnderALimitWhatNobodyUsesGoesFirst) {
  HostPool pool(1000);
  { const HostBuffer a = pool.Take(600), b = pool.Take(300); }
  EXPECT_EQ(pool.kept_bytes(), 900);
  {
    const HostBuffer again = pool.Take(300);
    EXPECT_EQ(pool.kept_bytes(), 600) << "of the same size: nothing has to go";
    const HostBuffer other = pool.Take(200);
    EXPECT_EQ(pool.kept_bytes(), 0);
    EXPECT_EQ(pool.bytes_in_use(), 500);
    const HostBuffer beyond = pool.Take(700);
    EXPECT_NE(beyond.data(), nullptr) << "the plan's count was checked before; copies may overlap for a moment";
  }
  EXPECT_EQ(pool.bytes_in_use(), 0);
}

TEST(HostPoolTest, ThreadsNeverShareABuffer) {
  const int64_t before = Pool().bytes_in_use();
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([t] {
      for (int i = 0; i < 2000; ++i) {
        const HostBuffer buffer = Pool().Take(512);
        std::memset(buffer.data(), t, 512);
        for (int k = 0; k < 512; ++k) ASSERT_EQ(buffer.data()[k], t);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(Pool().bytes_in_use(), before);
}

}  // namespace
}  // namespace str::kernels
