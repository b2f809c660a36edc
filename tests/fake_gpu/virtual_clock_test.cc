#include "tests/fake_gpu/virtual_clock.h"

#include "gtest/gtest.h"

namespace str::fake_gpu {
namespace {

TEST(VirtualClockTest, WorkBeginsWhenItsStreamIsReadyAndTheHostHasEnqueuedIt) {
  VirtualClock clock(/*launch_ns=*/5);
  EXPECT_EQ(clock.Enqueue(0, Engine::kCompute, 0, 100), 105);
  EXPECT_EQ(clock.Enqueue(0, Engine::kCompute, 105, 100), 205);
  EXPECT_EQ(clock.host_ns(), 10);
}

TEST(VirtualClockTest, ManyShortKernelsAreBoundByLaunches) {
  VirtualClock clock(5);
  int64_t end = 0;
  for (int i = 0; i < 1000; ++i) end = clock.Enqueue(0, Engine::kCompute, end, 1);
  EXPECT_EQ(end, 5001);
}

TEST(VirtualClockTest, CopiesOverlapWithComputingAndWithCopiesTheOtherWay) {
  VirtualClock clock(0);
  EXPECT_EQ(clock.Enqueue(0, Engine::kCompute, 0, 100), 100);
  EXPECT_EQ(clock.Enqueue(0, Engine::kCopyOut, 0, 100), 100);
  EXPECT_EQ(clock.Enqueue(0, Engine::kCopyIn, 0, 100), 100);
  EXPECT_EQ(clock.Enqueue(1, Engine::kCopyIn, 0, 100), 100);
}

TEST(VirtualClockTest, CopiesTheSameWayTakeTurns) {
  VirtualClock clock(0);
  EXPECT_EQ(clock.Enqueue(0, Engine::kCopyOut, 0, 100), 100);
  EXPECT_EQ(clock.Enqueue(0, Engine::kCopyOut, 0, 100), 200);
  EXPECT_EQ(clock.Enqueue(0, Engine::kCopyOut, 50, 100), 300);
}

TEST(VirtualClockTest, WorkThatWaitsDoesNotHoldUpWorkThatIsReady) {
  VirtualClock clock(0);
  EXPECT_EQ(clock.Enqueue(0, Engine::kCopyOut, 1000, 100), 1100);
  EXPECT_EQ(clock.Enqueue(0, Engine::kCopyOut, 0, 400), 400);
  // 600 ns are left before the first copy: too short for 700.
  EXPECT_EQ(clock.Enqueue(0, Engine::kCopyOut, 0, 700), 1800);
  EXPECT_EQ(clock.Enqueue(0, Engine::kCopyOut, 0, 600), 1000);
}

TEST(VirtualClockTest, WorkAfterAWaitOfTheHostBeginsLater) {
  VirtualClock clock(5);
  const int64_t end = clock.Enqueue(0, Engine::kCompute, 0, 100);
  clock.HostWaited(end + 30);
  EXPECT_EQ(clock.Enqueue(0, Engine::kCompute, end, 100), 240);
}

}  // namespace
}  // namespace str::fake_gpu
