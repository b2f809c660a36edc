#include "tests/fake_gpu/driver.h"

#include <cstring>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "gtest/gtest.h"

namespace str::fake_gpu {
namespace {

constexpr int64_t kBytes = 256 << 10;

Settings SmallDevice() {
  Settings settings;
  settings.memory_bytes = 16 << 20;
  settings.log = "/dev/null";
  return settings;
}

// A device with a compute stream and one more, and what tests do with them.
class DriverTest : public testing::Test {
 protected:
  explicit DriverTest(const Settings& settings = SmallDevice())
      : driver_(settings), compute_(driver_.CreateStream(0)), other_(driver_.CreateStream(0)) {}

  uintptr_t Allocate(int64_t bytes = kBytes) {
    uintptr_t address = 0;
    EXPECT_EQ(driver_.Allocate(0, bytes, &address), Result::kOk);
    return address;
  }
  void* Pinned(int64_t bytes = kBytes) {
    void* address = nullptr;
    EXPECT_EQ(driver_.AllocatePinned(bytes, &address), Result::kOk);
    std::memset(address, 1, bytes);
    return address;
  }
  static uintptr_t Address(const void* pointer) { return reinterpret_cast<uintptr_t>(pointer); }

  void Launch(Stream* stream, std::vector<Range> reads, std::vector<Range> writes, int64_t flops = 0) {
    Kernel kernel;
    kernel.name = "kernel";
    kernel.reads = std::move(reads);
    kernel.writes = std::move(writes);
    kernel.flops = flops;
    kernel.run = [] {};
    driver_.Launch(stream, kernel);
  }
  void Write(Stream* stream, uintptr_t address) { Launch(stream, {}, {{address, kBytes}}); }
  void Read(Stream* stream, uintptr_t address) { Launch(stream, {{address, kBytes}}, {}); }

  // `waiting` runs on only after all that is enqueued on `stream` now.
  void Order(Stream* stream, Stream* waiting) {
    const auto event = std::make_shared<Event>();
    driver_.Record(event, stream);
    driver_.WaitFor(waiting, event);
  }

  int64_t Count(const char* name) { return driver_.report().Get(name); }
  void ExpectNoProblem() {
    for (int i = 0; i < kProblemKinds; ++i) {
      const char* const name = NameOf(static_cast<Problem>(i));
      EXPECT_EQ(Count(name), 0) << name;
    }
  }

  Driver driver_;
  Stream* const compute_;
  Stream* const other_;
};

TEST_F(DriverTest, CopiesGoInAndOutAndKeepTheirBytes) {
  const uintptr_t device = Allocate(), second = Allocate();
  char* const pinned = static_cast<char*>(Pinned());
  for (int64_t i = 0; i < kBytes; ++i) pinned[i] = static_cast<char>(i * 7);
  const std::string before(pinned, kBytes);
  EXPECT_EQ(driver_.Copy(device, Address(pinned), kBytes, compute_, false), Result::kOk);
  EXPECT_EQ(driver_.Copy(second, device, kBytes, compute_, false), Result::kOk);
  driver_.Synchronize(compute_);
  std::memset(pinned, 0, kBytes);
  EXPECT_EQ(driver_.Copy(Address(pinned), second, kBytes, compute_, true), Result::kOk);
  EXPECT_EQ(std::string(pinned, kBytes), before);
  EXPECT_EQ(Count("copy in bytes"), kBytes);
  EXPECT_EQ(Count("copy out"), 1);
  EXPECT_EQ(Count("copy on device"), 1);
  ExpectNoProblem();
}

TEST_F(DriverTest, PinnedBytesAreThoseThatAreHeld) {
  void* const first = Pinned();
  Pinned(2 * kBytes);
  EXPECT_EQ(Count("pinned bytes"), 3 * kBytes);
  EXPECT_EQ(driver_.FreePinned(first), Result::kOk);
  EXPECT_EQ(Count("pinned bytes"), 2 * kBytes);
}

TEST_F(DriverTest, RaceBetweenStreams) {
  const uintptr_t device = Allocate();
  Write(compute_, device);
  Read(other_, device);
  EXPECT_EQ(Count("races"), 1);
}

TEST_F(DriverTest, NoRaceAfterAnEvent) {
  const uintptr_t device = Allocate();
  Write(compute_, device);
  Order(compute_, other_);
  Read(other_, device);
  ExpectNoProblem();
}

TEST_F(DriverTest, NoRaceAfterTheHostWaited) {
  const uintptr_t device = Allocate();
  Write(compute_, device);
  driver_.Synchronize(compute_);
  Read(other_, device);
  ExpectNoProblem();
}

TEST_F(DriverTest, AnEventRecordedTooEarlyOrdersNothing) {
  const uintptr_t device = Allocate();
  const auto event = std::make_shared<Event>();
  driver_.Record(event, compute_);
  Write(compute_, device);
  driver_.WaitFor(other_, event);
  Read(other_, device);
  EXPECT_EQ(Count("races"), 1);
}

TEST_F(DriverTest, UnwrittenMemory) {
  const uintptr_t device = Allocate();
  Read(compute_, device);
  EXPECT_EQ(Count("unwritten"), 1);
}

TEST_F(DriverTest, FilledMemoryIsWritten) {
  const uintptr_t device = Allocate();
  const auto fill = [](char* alias) { std::memset(alias, 0, kBytes); };
  EXPECT_EQ(driver_.Fill(device, kBytes, fill, compute_, false), Result::kOk);
  Read(compute_, device);
  ExpectNoProblem();
}

TEST_F(DriverTest, UseAfterFree) {
  const uintptr_t device = Allocate();
  Write(compute_, device);
  driver_.Synchronize(compute_);
  EXPECT_EQ(driver_.Free(device), Result::kOk);
  ExpectNoProblem();
  Read(compute_, device);
  EXPECT_EQ(Count("after_free"), 1);
}

TEST_F(DriverTest, FreeWhileWorkRuns) {
  const uintptr_t device = Allocate();
  Write(compute_, device);
  EXPECT_EQ(driver_.Free(device), Result::kOk);
  EXPECT_EQ(Count("after_free"), 1);
}

TEST_F(DriverTest, PinnedMemoryFreedBeforeItsCopyEnded) {
  const uintptr_t device = Allocate();
  void* const pinned = Pinned();
  EXPECT_EQ(driver_.Copy(device, Address(pinned), kBytes, compute_, false), Result::kOk);
  EXPECT_EQ(driver_.FreePinned(pinned), Result::kOk);
  EXPECT_EQ(Count("after_free"), 1);
}

TEST_F(DriverTest, PinnedMemoryFreedAfterItsCopyEnded) {
  const uintptr_t device = Allocate();
  void* const pinned = Pinned();
  EXPECT_EQ(driver_.Copy(device, Address(pinned), kBytes, compute_, false), Result::kOk);
  driver_.Synchronize(compute_);
  EXPECT_EQ(driver_.FreePinned(pinned), Result::kOk);
  ExpectNoProblem();
}

TEST_F(DriverTest, BadPointers) {
  const uintptr_t device = Allocate();
  void* const pinned = Pinned(2 * kBytes);
  // Leaves its allocation, by one byte.
  EXPECT_EQ(driver_.Copy(device, Address(pinned), kBytes + 1, compute_, false), Result::kInvalidValue);
  EXPECT_EQ(Count("bad_pointers"), 1);
  // Was never allocated.
  EXPECT_EQ(driver_.Copy(device + (8 << 20), Address(pinned), 8, compute_, false), Result::kInvalidValue);
  EXPECT_EQ(Count("bad_pointers"), 2);
  EXPECT_EQ(driver_.Free(device + 512), Result::kInvalidValue);
  EXPECT_EQ(Count("bad_pointers"), 3);
  EXPECT_EQ(driver_.Copy(Address(pinned), Address(pinned) + 8, 8, compute_, false), Result::kInvalidValue);
  EXPECT_EQ(Count("bad_pointers"), 4);
  EXPECT_EQ(driver_.Free(device), Result::kOk);
  EXPECT_EQ(driver_.Free(device), Result::kInvalidValue);
  EXPECT_EQ(Count("bad_pointers"), 5);
  EXPECT_EQ(driver_.FreePinned(static_cast<char*>(pinned) + 8), Result::kInvalidValue);
  EXPECT_EQ(Count("bad_pointers"), 6);
  // Leaves its pinned buffer.
  EXPECT_EQ(driver_.Copy(Allocate(), Address(pinned) + kBytes + 1, kBytes, compute_, false), Result::kInvalidValue);
  EXPECT_EQ(Count("bad_pointers"), 7);
}

TEST_F(DriverTest, PageableCopies) {
  const uintptr_t device = Allocate();
  std::vector<char> pageable(kBytes, 5);
  EXPECT_EQ(driver_.Copy(device, Address(pageable.data()), kBytes, other_, false), Result::kOk);
  // The driver has taken the bytes: the caller may change them.
  pageable.assign(kBytes, 6);
  driver_.Synchronize(other_);
  EXPECT_EQ(*driver_.Alias(device), 5);
  EXPECT_EQ(driver_.Copy(Address(pageable.data()), device, kBytes, other_, false), Result::kOk);
  EXPECT_EQ(pageable[0], 5) << "a copy out to pageable memory blocks";
  EXPECT_EQ(Count("pageable"), 2);
  EXPECT_EQ(driver_.PageableCopies(other_), 2);
  EXPECT_EQ(driver_.PageableCopies(compute_), 0);
}

TEST_F(DriverTest, MemoryThatTheCallerPinnedIsNotPageable) {
  const uintptr_t device = Allocate();
  std::vector<char> memory(kBytes, 5);
  EXPECT_EQ(driver_.RegisterPinned(memory.data(), kBytes), Result::kOk);
  EXPECT_EQ(driver_.Copy(device, Address(memory.data()), kBytes, compute_, false), Result::kOk);
  driver_.Synchronize(compute_);
  EXPECT_EQ(driver_.UnregisterPinned(memory.data()), Result::kOk);
  EXPECT_EQ(driver_.UnregisterPinned(memory.data()), Result::kNotFound);
  ExpectNoProblem();
}

TEST_F(DriverTest, KernelWithoutAStandIn) {
  driver_.KernelNotRun(compute_, "unknown");
  EXPECT_EQ(Count("kernels_not_run"), 1);
}

TEST_F(DriverTest, MemoryIsLimited) {
  uintptr_t first = 0, second = 0;
  EXPECT_EQ(driver_.Allocate(0, 16 << 20, &first), Result::kOk);
  EXPECT_EQ(driver_.Allocate(0, 1, &second), Result::kOutOfMemory);
  EXPECT_EQ(driver_.Free(first), Result::kOk);
  EXPECT_EQ(driver_.Allocate(0, 1, &second), Result::kOk);
}

TEST_F(DriverTest, StreamOrderedMemory) {
  uintptr_t address = 0;
  ASSERT_EQ(driver_.AllocateInOrder(compute_, kBytes, &address), Result::kOk);
  Write(compute_, address);
  EXPECT_EQ(driver_.FreeInOrder(compute_, address), Result::kOk);
  ExpectNoProblem();
  // Used on another stream, or after the free.
  ASSERT_EQ(driver_.AllocateInOrder(compute_, kBytes, &address), Result::kOk);
  Write(other_, address);
  EXPECT_EQ(Count("races"), 1);
  EXPECT_EQ(driver_.FreeInOrder(other_, address), Result::kOk);
  Read(other_, address);
  EXPECT_EQ(Count("after_free"), 1);
  EXPECT_EQ(driver_.FreeInOrder(other_, address), Result::kInvalidValue);
  EXPECT_EQ(Count("bad_pointers"), 1);
}

TEST_F(DriverTest, StreamOrderedMemoryDoesNotRunOutWhileItIsFreed) {
  for (int i = 0; i < 1000; ++i) {
    uintptr_t address = 0;
    ASSERT_EQ(driver_.AllocateInOrder(compute_, 1 << 20, &address), Result::kOk);
    ASSERT_EQ(driver_.FreeInOrder(compute_, address), Result::kOk);
  }
  ExpectNoProblem();
}

TEST_F(DriverTest, HostFunctionsRunInOrder) {
  const uintptr_t device = Allocate();
  char seen = 0;
  const auto fill = [](char* alias) { std::memset(alias, 9, kBytes); };
  EXPECT_EQ(driver_.Fill(device, kBytes, fill, compute_, false), Result::kOk);
  driver_.HostFunction(compute_, [&] { seen = *driver_.Alias(device); });
  driver_.Synchronize(compute_);
  EXPECT_EQ(seen, 9);
}

TEST_F(DriverTest, EventsAreQueried) {
  Event never;
  EXPECT_EQ(driver_.Query(never), Result::kOk) << "as in CUDA, an event that was not recorded is complete";
  const auto event = std::make_shared<Event>();
  std::mutex held;
  held.lock();
  driver_.HostFunction(compute_, [&] { std::lock_guard<std::mutex> wait(held); });
  driver_.Record(event, compute_);
  EXPECT_EQ(driver_.Query(*event), Result::kNotReady);
  EXPECT_EQ(driver_.Query(compute_), Result::kNotReady);
  held.unlock();
  driver_.Synchronize(*event);
  EXPECT_EQ(driver_.Query(*event), Result::kOk);
}

// A swap as planners place it, through one pinned buffer: out, release, reuse of the memory, in, use, and the same
// again. Each order that can be left out makes a race; with all of them there is none.
enum class Missing {
  kNothing,
  kOutWaitsForCompute,
  kComputeWaitsForOut,
  kInWaitsForCompute,
  kInWaitsForOut,
  kComputeWaitsForIn,
  kNextOutWaitsForIn,
};

class SwapOrderTest : public DriverTest, public testing::WithParamInterface<std::tuple<Missing, int>> {
 protected:
  static Settings WithSeed(int seed) {
    Settings settings = SmallDevice();
    settings.seed = seed;
    settings.delay_us = 50;
    return settings;
  }
  SwapOrderTest() : DriverTest(WithSeed(std::get<1>(GetParam()))), in_(driver_.CreateStream(0)) {}

  void OrderUnless(Missing missing, Stream* stream, Stream* waiting) {
    if (std::get<0>(GetParam()) != missing) Order(stream, waiting);
  }

  Stream* const in_;
};

TEST_P(SwapOrderTest, LeavingOutAnOrderIsARace) {
  Stream* const out = other_;
  const uintptr_t tensor = Allocate(), returned = Allocate();
  void* const pinned = Pinned();
  for (int round = 0; round < 2; ++round) {
    Write(compute_, tensor);
    OrderUnless(Missing::kOutWaitsForCompute, compute_, out);
    OrderUnless(Missing::kNextOutWaitsForIn, in_, out);
    driver_.Copy(Address(pinned), tensor, kBytes, out, false);
    OrderUnless(Missing::kComputeWaitsForOut, out, compute_);
    // Another tensor takes the place, on the compute stream.
    Write(compute_, tensor);
    if (round == 0) Write(compute_, returned);
    OrderUnless(Missing::kInWaitsForCompute, compute_, in_);
    OrderUnless(Missing::kInWaitsForOut, out, in_);
    driver_.Copy(returned, Address(pinned), kBytes, in_, false);
    OrderUnless(Missing::kComputeWaitsForIn, in_, compute_);
    Read(compute_, returned);
  }
  // Two orders follow from the others: compute waits for out, and in waits for compute.
  const Missing missing = std::get<0>(GetParam());
  const bool implied = missing == Missing::kInWaitsForOut || missing == Missing::kNextOutWaitsForIn;
  EXPECT_EQ(Count("races") > 0, missing != Missing::kNothing && !implied) << Count("races");
}

INSTANTIATE_TEST_SUITE_P(Orders, SwapOrderTest,
                         testing::Combine(testing::Values(Missing::kNothing, Missing::kOutWaitsForCompute,
                                                          Missing::kComputeWaitsForOut, Missing::kInWaitsForCompute,
                                                          Missing::kInWaitsForOut, Missing::kComputeWaitsForIn,
                                                          Missing::kNextOutWaitsForIn),
                                          testing::Values(1, 2, 3)));

// Without the detour over the compute stream the other two orders are needed as well.
TEST_F(DriverTest, APinnedBufferIsReadOnlyAfterItWasWritten) {
  const uintptr_t first = Allocate(), second = Allocate();
  void* const pinned = Pinned();
  Write(compute_, first);
  EXPECT_EQ(driver_.Copy(Address(pinned), first, kBytes, compute_, false), Result::kOk);
  EXPECT_EQ(driver_.Copy(second, Address(pinned), kBytes, other_, false), Result::kOk);
  EXPECT_EQ(Count("races"), 1);
}

TEST_F(DriverTest, APinnedBufferIsWrittenOnlyAfterItWasRead) {
  const uintptr_t first = Allocate(), second = Allocate();
  void* const pinned = Pinned();
  Write(compute_, first);
  EXPECT_EQ(driver_.Copy(second, Address(pinned), kBytes, other_, false), Result::kOk);
  EXPECT_EQ(driver_.Copy(Address(pinned), first, kBytes, compute_, false), Result::kOk);
  EXPECT_EQ(Count("races"), 1);
}

// Threads of the host that know different things.
class ThreadClockTest : public DriverTest {
 protected:
  static Settings PerThread() {
    Settings settings = SmallDevice();
    settings.host_clock = HostClock::kPerThread;
    return settings;
  }
  ThreadClockTest() : DriverTest(PerThread()) {}
};

TEST_F(ThreadClockTest, OneThreadsWaitSaysNothingToAnother) {
  const uintptr_t device = Allocate();
  Write(compute_, device);
  std::thread([&] { driver_.Synchronize(compute_); }).join();
  Read(other_, device);
  EXPECT_EQ(Count("races"), 1);
}

TEST_F(ThreadClockTest, UnlessItIsHandedOver) {
  const uintptr_t device = Allocate();
  Write(compute_, device);
  VectorClock handed_over;
  std::thread([&] {
    driver_.Synchronize(compute_);
    handed_over = driver_.HandOver();
  }).join();
  driver_.Receive(handed_over);
  Read(other_, device);
  ExpectNoProblem();
}

TEST_F(DriverTest, WithASharedClockOneThreadsWaitCountsForAll) {
  const uintptr_t device = Allocate();
  Write(compute_, device);
  std::thread([&] { driver_.Synchronize(compute_); }).join();
  Read(other_, device);
  ExpectNoProblem();
}

// Polls that hear late of an event's end.
class LateNoticeTest : public DriverTest {
 protected:
  static Settings Late() {
    Settings settings = SmallDevice();
    settings.notice_us = 3'600'000'000;
    settings.notice_operations = 10;
    return settings;
  }
  LateNoticeTest() : DriverTest(Late()) {}
};

TEST_F(LateNoticeTest, APollDoesNotHideAMissingOrder) {
  const uintptr_t device = Allocate(), scratch = Allocate();
  const auto event = std::make_shared<Event>();
  Write(compute_, device);
  driver_.Record(event, compute_);
  while (driver_.Query(compute_) == Result::kNotReady) std::this_thread::yield();
  EXPECT_EQ(driver_.Query(*event), Result::kNotReady) << "done, but not noticed yet";
  for (int i = 0; i < 10; ++i) Write(other_, scratch);
  EXPECT_EQ(driver_.Query(*event), Result::kOk) << "other work went on in the meantime";
}

TEST_F(LateNoticeTest, WaitingIsNeverLate) {
  const auto event = std::make_shared<Event>();
  driver_.Record(event, compute_);
  driver_.Synchronize(*event);
  const uintptr_t device = Allocate();
  Write(compute_, device);
  driver_.Synchronize(compute_);
  Read(other_, device);
  ExpectNoProblem();
}

class TwoDevicesTest : public DriverTest {
 protected:
  static Settings Two() {
    Settings settings = SmallDevice();
    settings.devices = 2;
    settings.pinned_limit_bytes = 2 * kBytes;
    return settings;
  }
  TwoDevicesTest() : DriverTest(Two()) {}
};

TEST_F(TwoDevicesTest, EachHasItsMemory) {
  uintptr_t first = 0, second = 0;
  ASSERT_EQ(driver_.Allocate(0, 16 << 20, &first), Result::kOk);
  ASSERT_EQ(driver_.Allocate(1, 16 << 20, &second), Result::kOk);
  EXPECT_EQ(driver_.Find(first)->device, 0);
  EXPECT_EQ(driver_.Find(second)->device, 1);
}

TEST_F(TwoDevicesTest, CopiesBetweenThemAreChecked) {
  uintptr_t there = 0;
  ASSERT_EQ(driver_.Allocate(1, kBytes, &there), Result::kOk);
  Stream* const stream = driver_.CreateStream(1);
  const uintptr_t here = Allocate();
  Write(compute_, here);
  EXPECT_EQ(driver_.Copy(there, here, kBytes, stream, false), Result::kOk);
  EXPECT_EQ(Count("races"), 1);
  Order(compute_, stream);
  Order(stream, compute_);
  EXPECT_EQ(driver_.Copy(there, here, kBytes, stream, false), Result::kOk);
  EXPECT_EQ(Count("races"), 1);
}

TEST_F(TwoDevicesTest, PinnedMemoryIsLimited) {
  void* const first = Pinned();
  void* second = nullptr;
  EXPECT_EQ(driver_.AllocatePinned(kBytes + 1, &second), Result::kOutOfMemory);
  EXPECT_EQ(driver_.AllocatePinned(kBytes, &second), Result::kOk);
  EXPECT_EQ(driver_.FreePinned(first), Result::kOk);
  EXPECT_EQ(driver_.AllocatePinned(kBytes, &second), Result::kOk);
}

// The virtual clock, with the RTX 3090's figures: a MiB takes 40.563 us to copy, and 7 us before it begins.
class TimedDriverTest : public DriverTest {
 protected:
  static Settings Timed() {
    Settings settings = SmallDevice();
    settings.device_file = "config/devices/rtx-3090-24gb.conf";
    // Delays of this machine do not show.
    settings.delay_us = 100;
    return settings;
  }
  TimedDriverTest() : DriverTest(Timed()) {}

  int64_t DeviceNs() {
    int64_t host_ns = 0, device_ns = 0;
    driver_.Time(&host_ns, &device_ns);
    return device_ns;
  }
};

// 35.6e12 flops take a second.
constexpr int64_t kMillisecondOfFlops = 35'600'000'000;

TEST_F(TimedDriverTest, HiddenCopiesCostNothing) {
  void* const pinned = Pinned();
  const uintptr_t device = Allocate();
  Write(compute_, device);
  driver_.Synchronize(compute_);
  const int64_t start = DeviceNs();
  Launch(compute_, {}, {}, kMillisecondOfFlops);
  EXPECT_EQ(driver_.Copy(Address(pinned), device, kBytes, other_, false), Result::kOk);
  Order(other_, compute_);
  Launch(compute_, {}, {}, kMillisecondOfFlops);
  EXPECT_EQ(DeviceNs() - start, 2'000'000 + driver_.settings().launch_ns);
}

TEST_F(TimedDriverTest, WaitedForAtOnceTheyCostTheirTime) {
  void* const pinned = Pinned();
  const uintptr_t device = Allocate();
  Write(compute_, device);
  driver_.Synchronize(compute_);
  const int64_t start = DeviceNs();
  Launch(compute_, {}, {}, kMillisecondOfFlops);
  Order(compute_, other_);
  EXPECT_EQ(driver_.Copy(Address(pinned), device, kBytes, other_, false), Result::kOk);
  Order(other_, compute_);
  Launch(compute_, {}, {}, kMillisecondOfFlops);
  const int64_t copy_ns = 7000 + 10141;
  EXPECT_EQ(DeviceNs() - start, 2'000'000 + copy_ns + driver_.settings().launch_ns);
}

TEST_F(TimedDriverTest, AWaitOfTheHostEmptiesTheQueue) {
  const int64_t launch = driver_.settings().launch_ns;
  Launch(compute_, {}, {}, kMillisecondOfFlops);
  EXPECT_EQ(DeviceNs(), 1'000'000 + launch);
  driver_.Synchronize(compute_);
  Launch(compute_, {}, {}, kMillisecondOfFlops);
  EXPECT_EQ(DeviceNs(), 2'000'000 + 2 * launch);
  // Who polls says so.
  driver_.HostWaited(compute_, 30'000);
  Launch(compute_, {}, {}, kMillisecondOfFlops);
  EXPECT_EQ(DeviceNs(), 3'000'000 + 3 * launch + 30'000);
}

TEST_F(TimedDriverTest, EventsCarryVirtualTime) {
  const auto begin = std::make_shared<Event>(), end = std::make_shared<Event>();
  double milliseconds = 0;
  EXPECT_EQ(driver_.Elapsed(*begin, *end, &milliseconds), Result::kInvalidValue);
  Launch(compute_, {}, {}, kMillisecondOfFlops);
  driver_.Record(begin, compute_);
  for (int i = 0; i < 3; ++i) Launch(compute_, {}, {}, kMillisecondOfFlops);
  driver_.Record(end, compute_);
  driver_.Synchronize(*end);
  EXPECT_EQ(driver_.Elapsed(*begin, *end, &milliseconds), Result::kOk);
  EXPECT_DOUBLE_EQ(milliseconds, 3);
}

TEST_F(TimedDriverTest, AnEventOnAnIdleStreamIsReachedWhenItIsEnqueued) {
  const auto begin = std::make_shared<Event>(), end = std::make_shared<Event>();
  Launch(other_, {}, {}, 5 * kMillisecondOfFlops);
  driver_.Synchronize(other_);
  driver_.Record(begin, compute_);
  Launch(compute_, {}, {}, kMillisecondOfFlops);
  driver_.Record(end, compute_);
  driver_.Synchronize(*end);
  double milliseconds = 0;
  EXPECT_EQ(driver_.Elapsed(*begin, *end, &milliseconds), Result::kOk);
  EXPECT_DOUBLE_EQ(milliseconds, 1 + driver_.settings().launch_ns / 1e6);
}

TEST_F(DriverTest, WithoutADeviceFileEventsHaveThisMachinesTime) {
  const auto begin = std::make_shared<Event>(), end = std::make_shared<Event>();
  driver_.Record(begin, compute_);
  driver_.HostFunction(compute_, [] { std::this_thread::sleep_for(std::chrono::milliseconds(2)); });
  driver_.Record(end, compute_);
  driver_.Synchronize(*end);
  double milliseconds = 0;
  EXPECT_EQ(driver_.Elapsed(*begin, *end, &milliseconds), Result::kOk);
  EXPECT_GE(milliseconds, 2);
}

TEST(DriverDeathTest, ADeviceFileThatIsNoneEndsTheProcess) {
  Settings settings = SmallDevice();
  settings.device_file = "config/BUILD";
  EXPECT_EXIT(Driver driver(settings), testing::ExitedWithCode(1), "FAKE_GPU_DEVICE_FILE=config/BUILD: ");
}

class WithoutTimerTest : public DriverTest {
 protected:
  WithoutTimerTest() : DriverTest(WithoutTimer()) {}

 private:
  static Settings WithoutTimer() {
    Settings settings = SmallDevice();
    settings.timer = false;
    return settings;
  }
};

TEST_F(WithoutTimerTest, NoTimeIsTold) {
  const auto first = std::make_shared<Event>(), second = std::make_shared<Event>();
  driver_.Record(first, compute_);
  driver_.Record(second, compute_);
  driver_.Synchronize(compute_);
  double milliseconds = -1;
  EXPECT_EQ(driver_.Elapsed(*first, *second, &milliseconds), Result::kInvalidValue);
  EXPECT_EQ(milliseconds, -1);
}

}  // namespace
}  // namespace str::fake_gpu
