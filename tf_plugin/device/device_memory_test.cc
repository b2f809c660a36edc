#include "tf_plugin/device/device_memory.h"

#include <unistd.h>

#include <cstring>
#include <fstream>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "gtest/gtest.h"
#include "tf_plugin/device/refusing_source.h"

namespace str::device {
namespace {

constexpr int64_t kKiB = 1024;
constexpr int64_t kMiB = 1024 * kKiB;

int64_t BytesInUse(DeviceMemory& memory) { return memory.GetStats()->bytes_in_use; }
int64_t PeakBytes(DeviceMemory& memory) { return memory.GetStats()->peak_bytes_in_use; }

char* Allocate(DeviceMemory& memory, int64_t bytes) { return static_cast<char*>(memory.AllocateRaw(64, bytes)); }

// The same, while `op` runs on this thread.
char* AllocateIn(OpRecord& op, DeviceMemory& memory, int64_t bytes) {
  OpScope scope(&op);
  return Allocate(memory, bytes);
}

void FreeIn(OpRecord& op, DeviceMemory& memory, void* pointer) {
  OpScope scope(&op);
  memory.DeallocateRaw(pointer);
}

// The step that began last.
uint64_t begun = 0;
void Begin(DeviceMemory& memory) { begun = memory.BeginStep(); }
StepMemory End(DeviceMemory& memory) { return memory.EndStep(begun).value(); }

OpRecord MarkedOp() {
  OpRecord op;
  op.in_marked_graph = true;
  return op;
}

config::Step StepWithPlaces(const std::vector<std::pair<int64_t, int64_t>>& bytes_and_offsets) {
  config::Step step;
  for (const auto& [bytes, offset] : bytes_and_offsets) {
    config::Place& place = *step.add_place();
    place.set_bytes(bytes);
    place.set_offset(offset);
  }
  return step;
}

OpRecord OpWithPlaces(const config::Step& step) {
  OpRecord op = MarkedOp();
  op.places = &step.place();
  return op;
}

TEST(DeviceMemoryTest, RequestsAreRoundedToTheGranule) {
  DeviceMemory memory(kNoLimit);
  int64_t expected = 0;
  const std::pair<int64_t, int64_t> sizes[] = {{0, 256}, {1, 256}, {256, 256}, {257, 512}, {100000, 100096}};
  for (const auto& [asked, counted] : sizes) {
    char* const pointer = Allocate(memory, asked);
    ASSERT_NE(pointer, nullptr);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(pointer) % kGranuleBytes, 0);
    expected += counted;
    EXPECT_EQ(BytesInUse(memory), expected) << asked;
  }
}

TEST(DeviceMemoryTest, StatsFollowWhatIsHeld) {
  DeviceMemory memory(kMiB);
  EXPECT_EQ(memory.GetStats()->bytes_limit, kMiB);
  char* const a = Allocate(memory, 1024);
  char* const b = Allocate(memory, 2048);
  memory.DeallocateRaw(a);
  EXPECT_EQ(BytesInUse(memory), 2048);
  EXPECT_EQ(PeakBytes(memory), 3072);
  EXPECT_EQ(memory.GetStats()->num_allocs, 2);
  EXPECT_EQ(memory.GetStats()->largest_alloc_size, 2048);

  EXPECT_TRUE(memory.ClearStats());
  EXPECT_EQ(PeakBytes(memory), 2048) << "the peak starts again at what is held";
  EXPECT_EQ(memory.GetStats()->num_allocs, 0);
  EXPECT_EQ(memory.GetStats()->largest_alloc_size, 0);
  memory.DeallocateRaw(b);
  EXPECT_EQ(BytesInUse(memory), 0);
  memory.DeallocateRaw(nullptr);
}

TEST(DeviceMemoryTest, NoLimitIsReportedAsNone) {
  DeviceMemory memory(kNoLimit);
  EXPECT_FALSE(memory.GetStats()->bytes_limit.has_value());
}

TEST(DeviceMemoryTest, ForeignPointersEndTheProcess) {
  DeviceMemory memory(kNoLimit);
  char* const pointer = Allocate(memory, 256);
  memory.DeallocateRaw(pointer);
  EXPECT_DEATH(memory.DeallocateRaw(pointer), "not allocated here");
}

TEST(DeviceMemoryTest, TheLimitCanBeFilledToTheByte) {
  DeviceMemory memory(kMiB);
  OpRecord op;
  Allocate(memory, kMiB / 2);
  EXPECT_NE(AllocateIn(op, memory, kMiB / 2), nullptr);
  EXPECT_EQ(op.out_of_memory, "");
  EXPECT_EQ(BytesInUse(memory), kMiB);
}

TEST(DeviceMemoryTest, BeyondTheLimitTheOpGetsEmergencyMemoryAndFailsWithTheSizes) {
  DeviceMemory memory(kMiB);
  char* const held = Allocate(memory, 768 * kKiB);
  OpRecord op;
  char* const emergency = AllocateIn(op, memory, 512 * kKiB);
  ASSERT_NE(emergency, nullptr);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(emergency) % kGranuleBytes, 0);
  std::memset(emergency, 1, 512 * kKiB);
  EXPECT_EQ(op.out_of_memory,
            "out of device memory: 512.00 KiB (524288 bytes) asked for, 768.00 KiB (786432 bytes) in use, limit 1.00 "
            "MiB (1048576 bytes)");
  EXPECT_EQ(memory.TakePendingOutOfMemory(), "") << "the op has the message";
  EXPECT_EQ(BytesInUse(memory), 768 * kKiB) << "emergency memory is outside of the limit";

  // The first failure is the one to report.
  const std::string first = op.out_of_memory;
  char* const second = AllocateIn(op, memory, 640 * kKiB);
  EXPECT_EQ(op.out_of_memory, first);

  memory.DeallocateRaw(emergency);
  memory.DeallocateRaw(second);
  EXPECT_EQ(BytesInUse(memory), 768 * kKiB);
  memory.DeallocateRaw(held);
  OpRecord next;
  AllocateIn(next, memory, kMiB);
  EXPECT_EQ(next.out_of_memory, "") << "after a failure the whole limit is there again";
}

TEST(DeviceMemoryTest, WithoutAnOpTheMessageWaits) {
  DeviceMemory memory(kMiB);
  EXPECT_EQ(memory.TakePendingOutOfMemory(), "");
  char* const emergency = Allocate(memory, 2 * kMiB);
  ASSERT_NE(emergency, nullptr);
  EXPECT_TRUE(absl::StrContains(memory.TakePendingOutOfMemory(), "2.00 MiB (2097152 bytes) asked for"));
  EXPECT_EQ(memory.TakePendingOutOfMemory(), "") << "it is said once";
  memory.DeallocateRaw(emergency);
}

TEST(DeviceMemoryRefusalTest, WithoutEmergencyMemoryNoOtherOpHearsOfIt) {
  DeviceMemory memory(kMiB, std::make_unique<RefusingSource>(kMiB));
  EXPECT_EQ(Allocate(memory, 2 * kMiB), nullptr);
  EXPECT_EQ(memory.TakePendingOutOfMemory(), "") << "whoever asked got null, and says so";
}

TEST(DeviceMemoryRefusalTest, TheOpKnowsWhyAndNeedNotFail) {
  DeviceMemory memory(kMiB, std::make_unique<RefusingSource>(kMiB / 2));
  OpRecord beyond_limit = MarkedOp(), beyond_source = MarkedOp();
  EXPECT_EQ(AllocateIn(beyond_limit, memory, 2 * kMiB), nullptr);
  EXPECT_EQ(beyond_limit.out_of_memory, "");
  EXPECT_TRUE(absl::EndsWith(beyond_limit.refused, "0 bytes in use, limit 1.00 MiB (1048576 bytes)"))
      << beyond_limit.refused;
  EXPECT_EQ(AllocateIn(beyond_source, memory, kMiB), nullptr);
  EXPECT_EQ(beyond_source.out_of_memory, "");
  EXPECT_TRUE(absl::EndsWith(beyond_source.refused, "; not the limit: the source has no more"))
      << beyond_source.refused;
  EXPECT_EQ(BytesInUse(memory), 0);
}

TEST(DeviceMemoryRefusalTest, WaitsForOthersToFreeMemoryIfItMay) {
  auto owned = std::make_unique<RefusingSource>(kMiB);
  RefusingSource& source = *owned;
  DeviceMemory memory(kNoLimit, std::move(owned));
  char* const held = Allocate(memory, kMiB);
  ASSERT_NE(held, nullptr);
  const tensorflow::AllocationAttributes at_once(/*retry_on_failure=*/false, false, nullptr);
  EXPECT_EQ(memory.AllocateRaw(64, kKiB, at_once), nullptr);
  EXPECT_EQ(source.waits(), 0);
  source.set_patience(absl::Seconds(60));
  std::thread frees([&] {
    while (source.waits() == 0) absl::SleepFor(absl::Milliseconds(1));
    memory.DeallocateRaw(held);
  });
  char* const waited = Allocate(memory, kKiB);
  frees.join();
  EXPECT_NE(waited, nullptr);
  EXPECT_EQ(source.waits(), 1);
  EXPECT_EQ(BytesInUse(memory), kKiB);
  EXPECT_EQ(PeakBytes(memory), kMiB) << "who waits has nothing yet";
}

TEST(DeviceMemoryTest, ImpossibleSizesAreRefusedNotWrappedAround) {
  for (const int64_t limit : {kMiB, kNoLimit}) {
    DeviceMemory memory(limit);
    for (const size_t bytes : {size_t{1} << 62, size_t{1} << 63, ~size_t{0} - 100, ~size_t{0}}) {
      OpRecord op;
      OpScope scope(&op);
      EXPECT_EQ(memory.AllocateRaw(64, bytes), nullptr) << bytes;
      EXPECT_TRUE(absl::StrContains(op.out_of_memory, limit == kNoLimit ? "no limit set" : "limit 1.00 MiB")) << bytes;
    }
    EXPECT_EQ(BytesInUse(memory), 0);
  }
}

TEST(DeviceMemoryTest, AnOpKnowsWhatItHolds) {
  DeviceMemory memory(kNoLimit);
  char* const before = Allocate(memory, 4096);
  OpRecord op;
  char* const output = AllocateIn(op, memory, 1024);
  char* const scratch = AllocateIn(op, memory, 2048);
  EXPECT_EQ(op.held_bytes, 3072);
  FreeIn(op, memory, scratch);
  FreeIn(op, memory, before);
  EXPECT_EQ(op.held_bytes, 1024) << "memory of others does not count";
  EXPECT_EQ(op.max_held_bytes, 3072);
  EXPECT_EQ(op.held, std::vector<const void*>({output}));
}

TEST(DeviceMemoryTest, ScopesNest) {
  OpRecord outer;
  OpRecord inner;
  EXPECT_EQ(CurrentOp(), nullptr);
  {
    OpScope outer_scope(&outer);
    {
      OpScope inner_scope(&inner);
      EXPECT_EQ(CurrentOp(), &inner);
    }
    EXPECT_EQ(CurrentOp(), &outer);
    std::thread([] { EXPECT_EQ(CurrentOp(), nullptr); }).join();
  }
  EXPECT_EQ(CurrentOp(), nullptr);
}

TEST(DeviceMemoryPlacesTest, AllocationsGoWhereThePlanSays) {
  DeviceMemory memory(kNoLimit);
  const config::Step step = StepWithPlaces({{128 * kKiB, 0}, {64 * kKiB, kMiB}});
  OpRecord op = OpWithPlaces(step);
  Begin(memory);
  // Sizes find their place, whatever the order in which they come.
  char* const second = AllocateIn(op, memory, 64 * kKiB);
  char* const first = AllocateIn(op, memory, 128 * kKiB - 100);
  EXPECT_EQ(second - first, kMiB);
  const StepMemory seen = End(memory);
  EXPECT_EQ(seen.placed, 2);
  EXPECT_EQ(seen.misplaced, 0);
}

TEST(DeviceMemoryPlacesTest, TheNthOfASizeTakesTheNthPlaceOfThatSize) {
  DeviceMemory memory(kNoLimit);
  const config::Step step = StepWithPlaces({{64 * kKiB, 4 * kMiB}, {128 * kKiB, 0}, {64 * kKiB, 2 * kMiB}});
  OpRecord op = OpWithPlaces(step);
  char* const base = AllocateIn(op, memory, 128 * kKiB);
  EXPECT_EQ(AllocateIn(op, memory, 64 * kKiB) - base, 4 * kMiB);
  EXPECT_EQ(AllocateIn(op, memory, 64 * kKiB) - base, 2 * kMiB);
}

TEST(DeviceMemoryPlacesTest, EveryRunOfAnOpStartsWithItsFirstPlace) {
  DeviceMemory memory(kNoLimit);
  const config::Step step = StepWithPlaces({{64 * kKiB, kMiB}});
  OpRecord first = OpWithPlaces(step);
  char* const place = AllocateIn(first, memory, 64 * kKiB);
  memory.DeallocateRaw(place);
  OpRecord second = OpWithPlaces(step);
  EXPECT_EQ(AllocateIn(second, memory, 64 * kKiB), place);
}

TEST(DeviceMemoryPlacesTest, ATakenPlaceMeansElsewhere) {
  DeviceMemory memory(kNoLimit);
  const config::Step step = StepWithPlaces({{64 * kKiB, kMiB}, {128 * kKiB, kMiB + 32 * kKiB}});
  OpRecord op = OpWithPlaces(step);
  Begin(memory);
  char* const placed = AllocateIn(op, memory, 64 * kKiB);
  char* const overlapping = AllocateIn(op, memory, 128 * kKiB);
  ASSERT_NE(overlapping, nullptr);
  EXPECT_TRUE(overlapping + 128 * kKiB <= placed || overlapping >= placed + 64 * kKiB);
  char* const without_place = AllocateIn(op, memory, 192 * kKiB);
  ASSERT_NE(without_place, nullptr);
  const StepMemory seen = End(memory);
  EXPECT_EQ(seen.placed, 1);
  EXPECT_EQ(seen.misplaced, 2);
  EXPECT_EQ(op.out_of_memory, "");
  EXPECT_EQ(BytesInUse(memory), 384 * kKiB);
  for (char* pointer : {placed, overlapping, without_place}) memory.DeallocateRaw(pointer);
  EXPECT_EQ(BytesInUse(memory), 0);
}

TEST(DeviceMemoryPlacesTest, SmallAllocationsAreNotPlanned) {
  DeviceMemory memory(kNoLimit);
  const config::Step step = StepWithPlaces({{kSmallestPlannedBytes - 256, 0}, {kSmallestPlannedBytes, kMiB}});
  OpRecord op = OpWithPlaces(step);
  Begin(memory);
  AllocateIn(op, memory, kSmallestPlannedBytes - 256);
  EXPECT_EQ(End(memory).placed, 0);
  Begin(memory);
  AllocateIn(op, memory, kSmallestPlannedBytes - 255);
  EXPECT_EQ(End(memory).placed, 1);
}

TEST(DeviceMemoryPlacesTest, AMisalignedPlaceIsNotUsed) {
  DeviceMemory memory(kNoLimit);
  const config::Step step = StepWithPlaces({{64 * kKiB, 24}});
  OpRecord op = OpWithPlaces(step);
  Begin(memory);
  char* const pointer = AllocateIn(op, memory, 64 * kKiB);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(pointer) % 64, 0);
  EXPECT_EQ(End(memory).misplaced, 1);
}

TEST(DeviceMemoryPlacesTest, PlacesCountAgainstTheLimit) {
  DeviceMemory memory(kMiB);
  const config::Step step = StepWithPlaces({{768 * kKiB, 0}, {512 * kKiB, kMiB}});
  OpRecord op = OpWithPlaces(step);
  AllocateIn(op, memory, 768 * kKiB);
  EXPECT_EQ(op.out_of_memory, "");
  AllocateIn(op, memory, 512 * kKiB);
  EXPECT_NE(op.out_of_memory, "");
}

TEST(DeviceMemoryStepTest, ExternalIsWhatTheStepDidNotAllocate) {
  DeviceMemory memory(kNoLimit);
  Allocate(memory, 10 * kKiB);
  Begin(memory);
  OpRecord own = MarkedOp();
  OpRecord foreign;
  char* const activation = AllocateIn(own, memory, 100 * kKiB);
  Allocate(memory, 3 * kKiB);
  AllocateIn(foreign, memory, 2 * kKiB);
  memory.DeallocateRaw(activation);
  AllocateIn(own, memory, 1 * kKiB);
  const StepMemory seen = End(memory);
  EXPECT_EQ(seen.peak_bytes, 115 * kKiB);
  EXPECT_EQ(seen.external_bytes, 15 * kKiB);
  EXPECT_EQ(seen.own_peak_bytes, 100 * kKiB);
}

TEST(DeviceMemoryStepTest, WhatAnEarlierStepLeftIsExternalToTheNext) {
  DeviceMemory memory(kNoLimit);
  OpRecord op = MarkedOp();
  Begin(memory);
  char* const kept = AllocateIn(op, memory, 100 * kKiB);
  EXPECT_EQ(End(memory).external_bytes, 0);

  Begin(memory);
  AllocateIn(op, memory, 10 * kKiB);
  memory.DeallocateRaw(kept);
  // Freed in this step, but not this step's: it must not be taken off what the step itself holds.
  AllocateIn(op, memory, 20 * kKiB);
  const StepMemory seen = End(memory);
  EXPECT_EQ(seen.external_bytes, 100 * kKiB);
  EXPECT_EQ(seen.peak_bytes, 110 * kKiB);
  EXPECT_EQ(seen.own_peak_bytes, 30 * kKiB);

  Begin(memory);
  EXPECT_EQ(End(memory).external_bytes, 30 * kKiB);
}

TEST(DeviceMemoryStepTest, OutsideOfStepsNothingIsTheStepsOwn) {
  DeviceMemory memory(kNoLimit);
  OpRecord op = MarkedOp();
  Begin(memory);
  End(memory);
  AllocateIn(op, memory, 4 * kKiB);
  Begin(memory);
  EXPECT_EQ(End(memory).external_bytes, 4 * kKiB);
}

TEST(DeviceMemoryStepTest, ASecondBeginStartsAnew) {
  DeviceMemory memory(kNoLimit);
  OpRecord op = MarkedOp();
  Begin(memory);
  memory.DeallocateRaw(AllocateIn(op, memory, 100 * kKiB));
  Begin(memory);
  AllocateIn(op, memory, 1 * kKiB);
  EXPECT_EQ(End(memory).peak_bytes, 1 * kKiB);
}

TEST(DeviceMemoryStepTest, AStepDuringWhichAnotherBeganIsNotMeasured) {
  DeviceMemory memory(kNoLimit);
  const uint64_t first = memory.BeginStep();
  const uint64_t second = memory.BeginStep();
  EXPECT_FALSE(memory.EndStep(first).has_value());
  EXPECT_TRUE(memory.EndStep(second).has_value());
  EXPECT_FALSE(memory.EndStep(second).has_value()) << "it has ended";
}

TEST(DeviceMemoryStepTest, WhatLoopsHoldIsCountedPerLoopAndOutsideOfTheStep) {
  DeviceMemory memory(kNoLimit);
  OpRecord first, second;
  first.loop = 0;
  second.loop = 1;
  Begin(memory);
  char* const a = AllocateIn(first, memory, 8 * kKiB);
  AllocateIn(second, memory, 2 * kKiB);
  FreeIn(first, memory, a);
  AllocateIn(first, memory, 3 * kKiB);
  const StepMemory seen = End(memory);
  EXPECT_EQ(seen.loop_peak_bytes, std::vector<int64_t>({8 * kKiB, 2 * kKiB}));
  EXPECT_EQ(seen.external_bytes, 10 * kKiB);
}

TEST(DeviceMemoryTest, UnwrittenBytesAreZeroWhereValuesAreCompared) {
  DeviceMemory memory(kNoLimit);
  OpRecord op;
  char* const dirty = AllocateIn(op, memory, kKiB);
  std::memset(dirty, 7, kKiB);
  FreeIn(op, memory, dirty);
  op.fill_with_zeros = true;
  char* const clean = AllocateIn(op, memory, kKiB);
  ASSERT_EQ(clean, dirty) << "the same place";
  EXPECT_EQ(std::string(clean, kKiB), std::string(kKiB, '\0'));
}

TEST(DeviceMemoryThreadsTest, ThreadsDoNotShareBytes) {
  DeviceMemory memory(kNoLimit);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&memory, t] {
      std::mt19937 random(t);
      const config::Step step = StepWithPlaces({{64 * kKiB, 0}, {64 * kKiB, 32 * kKiB}, {64 * kKiB, kMiB}});
      std::vector<std::pair<char*, int64_t>> held;
      const auto free_one = [&](size_t index) {
        const auto [pointer, bytes] = held[index];
        EXPECT_EQ(std::count(pointer, pointer + bytes, static_cast<char>(t + 1)), bytes);
        memory.DeallocateRaw(pointer);
        held.erase(held.begin() + index);
      };
      for (int i = 0; i < 3000; ++i) {
        if (held.size() > 8 || (random() % 2 == 0 && !held.empty())) {
          free_one(random() % held.size());
          continue;
        }
        OpRecord op = OpWithPlaces(step);
        const int64_t bytes = random() % 3 == 0 ? 64 * kKiB : 1 + random() % 5000;
        char* const pointer = AllocateIn(op, memory, bytes);
        std::memset(pointer, t + 1, bytes);
        held.push_back({pointer, bytes});
      }
      while (!held.empty()) free_one(0);
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(BytesInUse(memory), 0);
}

// Resident bytes of this process.
int64_t ResidentBytes() {
  std::ifstream statm("/proc/self/statm");
  int64_t pages = 0;
  statm >> pages >> pages;
  return pages * sysconf(_SC_PAGESIZE);
}

TEST(DeviceMemoryResidentTest, ResidentMemoryStaysNearTheLimit) {
  constexpr int64_t kLimit = 64 * kMiB;
  const int64_t before = ResidentBytes();
  DeviceMemory memory(kLimit);
  // Three times 60 MiB in use, each elsewhere: the general region, the arena's start, further on in the arena.
  const config::Step steps[] = {StepWithPlaces({}), StepWithPlaces({{60 * kMiB, 0}}),
                                StepWithPlaces({{60 * kMiB, 200 * kMiB}})};
  for (const config::Step& step : steps) {
    OpRecord op = OpWithPlaces(step);
    char* const pointer = AllocateIn(op, memory, 60 * kMiB);
    std::memset(pointer, 1, 60 * kMiB);
    // One page over the limit and its slack of 16 MiB, and what the process itself grew by.
    EXPECT_LT(ResidentBytes() - before, kLimit + 20 * kMiB);
    memory.DeallocateRaw(pointer);
  }
}

}  // namespace
}  // namespace str::device
