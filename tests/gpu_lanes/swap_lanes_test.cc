// Orders and lifetimes of the plugin's copies. Each mistake that a call of a stream can be is made on purpose, and the
// race checker has to report it: otherwise tests that find no report would show nothing.
#include "tf_plugin/gpu/swap_lanes.h"

#include <atomic>
#include <cstring>
#include <map>
#include <memory>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "config/status_testing.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/fake_gpu/driver.h"
#include "tests/gpu_lanes/emulated_executor.h"

namespace str::gpu {
namespace {

using tensorflow::Tensor;

constexpr int64_t kBytes = 64 << 10;

// As TensorFlow's allocators: hands memory out again in the order of the compute stream. One block for all tensors like
// the BFC allocator, or the driver's own allocations in the stream's order.
class StreamOrderedAllocator : public tensorflow::Allocator {
 public:
  StreamOrderedAllocator(fake_gpu::Driver* driver, fake_gpu::Stream* stream, bool of_one_block)
      : driver_(driver), stream_(stream), of_one_block_(of_one_block) {
    if (of_one_block) CHECK(driver->Allocate(0, kBlockBytes, &block_) == fake_gpu::Result::kOk);
  }

  std::string Name() override { return "stream ordered"; }
  void* AllocateRaw(size_t, size_t bytes) override {
    uintptr_t address = 0;
    if (of_one_block_) {
      address = block_ + taken_.Take(bytes).value();
    } else {
      CHECK(driver_->AllocateInOrder(stream_, bytes, &address) == fake_gpu::Result::kOk);
    }
    return reinterpret_cast<void*>(address);
  }
  void DeallocateRaw(void* pointer) override {
    const auto address = reinterpret_cast<uintptr_t>(pointer);
    if (of_one_block_) {
      taken_.Give(address - block_);
    } else {
      driver_->FreeInOrder(stream_, address);
    }
  }

 private:
  static constexpr int64_t kBlockBytes = 64 << 20;
  fake_gpu::Driver* const driver_;
  fake_gpu::Stream* const stream_;
  const bool of_one_block_;
  uintptr_t block_ = 0;
  device::OffsetRanges taken_{kBlockBytes};
};

enum class Memory { kOneBlock, kOfTheDriver };

// A GPU with its lanes, and what tests do with them. Lanes are never destroyed, nor is what they work on.
class World {
 public:
  explicit World(Memory memory, Faults faults = nullptr)
      : driver_(*new fake_gpu::Driver(SmallDevice())),
        executor_(*new EmulatedExecutor(&driver_, {"out", "in"})),
        compute_(*new EmulatedStream(&executor_, "compute")),
        other_compute_(*new EmulatedStream(&executor_, "other compute")),
        allocator_(*new StreamOrderedAllocator(&driver_, compute_.handle(), memory == Memory::kOneBlock)),
        lanes_(*SwapLanes::Of(&executor_).value()) {
    EXPECT_OK(lanes_.pool().Reserve(kBytes));
    executor_.set_faults(std::move(faults));
  }

  SwapLanes& lanes() { return lanes_; }
  tensorflow::Allocator* allocator() { return &allocator_; }
  EmulatedStream* compute() { return &compute_; }
  EmulatedStream* other_compute() { return &other_compute_; }

  Tensor New() { return Tensor(&allocator_, tensorflow::DT_UINT8, {kBytes}); }
  Tensor Written(char value) {
    Tensor tensor = New();
    Write(tensor, value, compute_);
    return tensor;
  }
  void Write(const Tensor& tensor, char value, EmulatedStream& stream) {
    char* const data = driver_.Alias(RangeOf(tensor).begin);
    stream.Launch({}, {RangeOf(tensor)}, [data, value] { std::memset(data, value, kBytes); });
  }
  void ExpectValue(const Tensor& tensor, char value) {
    const char* const data = driver_.Alias(RangeOf(tensor).begin);
    compute_.Launch({RangeOf(tensor)}, {}, [this, data, value] {
      for (int64_t i = 0; i < kBytes; ++i) wrong_bytes_ += data[i] != value;
    });
  }

  // Waits for all work. What was reported, by kind; and bytes that had another value than expected.
  std::map<std::string, int64_t> Problems() {
    driver_.SynchronizeDevice(0);
    std::map<std::string, int64_t> problems;
    for (int i = 0; i < fake_gpu::kProblemKinds; ++i) {
      const char* const name = fake_gpu::NameOf(static_cast<fake_gpu::Problem>(i));
      if (const int64_t count = driver_.report().Get(name); count > 0) problems[name] = count;
    }
    return problems;
  }
  int64_t wrong_bytes() const { return wrong_bytes_; }

 private:
  static fake_gpu::Settings SmallDevice() {
    fake_gpu::Settings settings;
    settings.memory_bytes = 128 << 20;
    settings.delay_us = 100;
    settings.log = "/dev/null";
    return settings;
  }
  static fake_gpu::Range RangeOf(const Tensor& tensor) {
    return {reinterpret_cast<uintptr_t>(tensor.tensor_data().data()), static_cast<uint64_t>(kBytes)};
  }

  fake_gpu::Driver& driver_;
  EmulatedExecutor& executor_;
  EmulatedStream& compute_;
  EmulatedStream& other_compute_;
  StreamOrderedAllocator& allocator_;
  SwapLanes& lanes_;
  std::atomic<int64_t> wrong_bytes_ = 0;
};

// Each of these uses the memory of a tensor again as soon as it is let go.

void SwapOutAndIn(World& world) {
  for (const char value : {1, 2, 3}) {
    Tensor tensor = world.Written(value);
    const auto copy = world.lanes().CopyOut(tensor, world.compute());
    ASSERT_TRUE(copy.ok()) << copy.status();
    tensor = Tensor();
    EXPECT_OK((*copy)->Join());
    world.Written(77);
    const auto pending = world.lanes().CopyIn(**copy, world.New(), world.compute());
    ASSERT_TRUE(pending.ok()) << pending.status();
    const absl::StatusOr<Tensor> back = (*pending)->Join();
    ASSERT_TRUE(back.ok()) << back.status();
    world.ExpectValue(*back, value);
  }
}

// The copy in is started before the copy out is joined, and the host's buffer has its next user before the copy in is.
void CopiesOverlap(World& world) {
  const Tensor first = world.Written(1);
  auto first_copy = world.lanes().CopyOut(first, world.compute());
  ASSERT_TRUE(first_copy.ok()) << first_copy.status();
  const auto pending = world.lanes().CopyIn(**first_copy, world.New(), world.compute());
  ASSERT_TRUE(pending.ok()) << pending.status();
  EXPECT_OK((*first_copy)->Join());
  first_copy->reset();
  const Tensor second = world.Written(2);
  const auto second_copy = world.lanes().CopyOut(second, world.compute());
  ASSERT_TRUE(second_copy.ok()) << second_copy.status();
  const absl::StatusOr<Tensor> back = (*pending)->Join();
  ASSERT_TRUE(back.ok()) << back.status();
  world.ExpectValue(*back, 1);
}

// A step that ends without its joins; calls may fail.
void StepThatFails(World& world) {
  Tensor tensor = world.Written(1);
  auto copy = world.lanes().CopyOut(tensor, world.compute());
  tensor = Tensor();
  if (copy.ok()) {
    auto pending = world.lanes().CopyIn(**copy, world.New(), world.compute());
    if (pending.ok()) pending->reset();
    world.Written(77);
    copy->reset();
  }
  world.Written(78);
}

// The same before anything is swapped in.
void StepThatFailsEarly(World& world) {
  Tensor tensor = world.Written(1);
  auto copy = world.lanes().CopyOut(tensor, world.compute());
  tensor = Tensor();
  if (copy.ok()) copy->reset();
  world.Written(77);
}

// The joins are asked for and may fail.
void JoinsThatFail(World& world) {
  Tensor tensor = world.Written(1);
  const auto copy = world.lanes().CopyOut(tensor, world.compute());
  ASSERT_TRUE(copy.ok()) << copy.status();
  tensor = Tensor();
  (*copy)->Join().IgnoreError();
  world.Written(77);
  const auto pending = world.lanes().CopyIn(**copy, world.New(), world.compute());
  ASSERT_TRUE(pending.ok()) << pending.status();
  (*pending)->Join().status().IgnoreError();
  world.Written(78);
}

// A second plan needs a larger pool while a copy of the first may be under way.
void LargerPool(World& world) {
  const Tensor tensor = world.Written(1);
  auto copy = world.lanes().CopyOut(tensor, world.compute());
  ASSERT_TRUE(copy.ok()) << copy.status();
  copy->reset();
  EXPECT_OK(world.lanes().pool().Reserve(2 * kBytes));
}

// What the plugin relies on: memory goes round in the order of one compute stream.
void MemoryOfAnotherComputeStream(World& world) {
  Tensor tensor = world.Written(1);
  const auto copy = world.lanes().CopyOut(tensor, world.compute());
  ASSERT_TRUE(copy.ok()) << copy.status();
  tensor = Tensor();
  EXPECT_OK((*copy)->Join());
  world.Write(world.New(), 77, *world.other_compute());
}

using Scenario = void (*)(World&);

// One call that goes wrong: the one with so many of its kind before it.
struct Broken {
  const char* stream;
  Call call;
  Fault fault;
  int before = -1;  // -1: all of them
};

struct Mistake {
  const char* name;
  Scenario scenario;
  std::vector<Broken> broken;
  const char* problem;
  Memory memory = Memory::kOneBlock;
};

Faults FaultsOf(std::vector<Broken> broken) {
  return [broken = std::move(broken)](const std::string& stream, Call call, int before) {
    for (const Broken& one : broken) {
      if (one.stream == stream && one.call == call && (one.before < 0 || one.before == before)) return one.fault;
    }
    return Fault::kNone;
  };
}

// A call that fails is harmless only because the host waits then: without that, too, it has to be reported.
const Broken kOutDoesNotWait = {"out", Call::kBlock, Fault::kSkip};
const Broken kInDoesNotWait = {"in", Call::kBlock, Fault::kSkip};

const Mistake kMistakes[] = {
    {"OutDoesNotWaitForCompute", SwapOutAndIn, {{"out", Call::kWaitForStream, Fault::kSkip}}, "races"},
    {"OutWaitsForTooLittle", SwapOutAndIn, {{"out", Call::kWaitForStream, Fault::kTooEarly}}, "races"},
    {"OutIsNotRecorded", SwapOutAndIn, {{"out", Call::kRecord, Fault::kSkip}}, "races"},
    {"OutIsRecordedTooEarly", SwapOutAndIn, {{"out", Call::kRecord, Fault::kTooEarly}}, "races"},
    {"ComputeDoesNotWaitForOut", SwapOutAndIn, {{"compute", Call::kWaitForEvent, Fault::kSkip, 0}}, "races"},
    {"InDoesNotWaitForCompute", SwapOutAndIn, {{"in", Call::kWaitForStream, Fault::kSkip}}, "races"},
    {"InWaitsForTooLittle", SwapOutAndIn, {{"in", Call::kWaitForStream, Fault::kTooEarly}}, "races"},
    {"InIsNotRecorded", SwapOutAndIn, {{"in", Call::kRecord, Fault::kSkip}}, "races"},
    {"InIsRecordedTooEarly", SwapOutAndIn, {{"in", Call::kRecord, Fault::kTooEarly}}, "races"},
    {"ComputeDoesNotWaitForIn", SwapOutAndIn, {{"compute", Call::kWaitForEvent, Fault::kSkip, 1}}, "races"},
    {"InDoesNotWaitForOut", CopiesOverlap, {{"in", Call::kWaitForEvent, Fault::kSkip}}, "races"},
    {"BufferIsUsedAgainTooEarly", CopiesOverlap, {{"out", Call::kWaitForEvent, Fault::kSkip}}, "races"},
    {"OutIsNotJoinedAfterAFailure", StepThatFailsEarly, {{"compute", Call::kWaitForEvent, Fault::kSkip}}, "races"},
    {"InIsNotJoinedAfterAFailure", StepThatFails, {{"compute", Call::kWaitForEvent, Fault::kSkip, 0}}, "races"},
    {"TensorIsFreedUnderTheCopyOut",
     SwapOutAndIn,
     {{"compute", Call::kWaitForEvent, Fault::kSkip, 0}},
     "races",
     Memory::kOfTheDriver},
    {"TensorIsFreedUnderTheCopyIn",
     StepThatFails,
     {{"compute", Call::kWaitForEvent, Fault::kSkip, 0}},
     "races",
     Memory::kOfTheDriver},
    {"PinnedMemoryIsFreedUnderACopy", LargerPool, {{"", Call::kPoll, Fault::kSkip}}, "after_free"},
    {"MemoryGoesToAnotherComputeStream", MemoryOfAnotherComputeStream, {}, "races"},
    {"RecordOfOutFails", StepThatFails, {{"out", Call::kRecord, Fault::kFail}, kOutDoesNotWait}, "races"},
    {"RecordOfInFails", StepThatFails, {{"in", Call::kRecord, Fault::kFail}, kInDoesNotWait}, "races"},
    {"CopyOutFailsLate", StepThatFails, {{"out", Call::kCopy, Fault::kFailAfterwards}, kOutDoesNotWait}, "races"},
    {"CopyInFailsLate", StepThatFails, {{"in", Call::kCopy, Fault::kFailAfterwards}, kInDoesNotWait}, "races"},
    {"JoinOfOutFails", JoinsThatFail, {{"compute", Call::kWaitForEvent, Fault::kFail, 0}, kOutDoesNotWait}, "races"},
    {"JoinOfInFails", JoinsThatFail, {{"compute", Call::kWaitForEvent, Fault::kFail, 1}, kInDoesNotWait}, "races"},
};

void PrintTo(const Mistake& mistake, std::ostream* out) { *out << mistake.name; }

class MistakeTest : public ::testing::TestWithParam<Mistake> {};

TEST_P(MistakeTest, IsReported) {
  const Mistake& mistake = GetParam();
  World world(mistake.memory, FaultsOf(mistake.broken));
  mistake.scenario(world);
  EXPECT_THAT(world.Problems(), ::testing::Contains(::testing::Key(mistake.problem)));
}

INSTANTIATE_TEST_SUITE_P(Mistakes, MistakeTest, ::testing::ValuesIn(kMistakes),
                         [](const auto& info) { return std::string(info.param.name); });

class RightOrderTest : public ::testing::TestWithParam<Memory> {};

TEST_P(RightOrderTest, NothingIsReported) {
  for (const Scenario scenario :
       {SwapOutAndIn, CopiesOverlap, StepThatFails, StepThatFailsEarly, JoinsThatFail, LargerPool}) {
    World world(GetParam());
    scenario(world);
    EXPECT_THAT(world.Problems(), ::testing::IsEmpty());
    EXPECT_EQ(world.wrong_bytes(), 0);
  }
}

INSTANTIATE_TEST_SUITE_P(Memories, RightOrderTest, ::testing::Values(Memory::kOneBlock, Memory::kOfTheDriver));

// A call that fails, after which memory may only be let go because the host waits.
class FailureTest : public ::testing::TestWithParam<std::pair<Scenario, Broken>> {};

TEST_P(FailureTest, TheHostWaitsBeforeMemoryIsLetGo) {
  const auto& [scenario, broken] = GetParam();
  World world(Memory::kOneBlock, FaultsOf({broken}));
  scenario(world);
  EXPECT_THAT(world.Problems(), ::testing::IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(
    Failures, FailureTest,
    ::testing::Values(std::pair(StepThatFails, Broken{"out", Call::kRecord, Fault::kFail}),
                      std::pair(StepThatFails, Broken{"in", Call::kRecord, Fault::kFail}),
                      std::pair(StepThatFails, Broken{"out", Call::kCopy, Fault::kFailAfterwards}),
                      std::pair(StepThatFails, Broken{"in", Call::kCopy, Fault::kFailAfterwards}),
                      std::pair(StepThatFails, Broken{"compute", Call::kWaitForEvent, Fault::kFail}),
                      std::pair(StepThatFailsEarly, Broken{"compute", Call::kWaitForEvent, Fault::kFail}),
                      std::pair(JoinsThatFail, Broken{"compute", Call::kWaitForEvent, Fault::kFail, 0}),
                      std::pair(JoinsThatFail, Broken{"compute", Call::kWaitForEvent, Fault::kFail, 1})));

TEST(SwapLanesTest, FailuresAreReturned) {
  const Broken calls[] = {{"out", Call::kRecord, Fault::kFail}, {"out", Call::kCopy, Fault::kFail}};
  for (const Broken& broken : calls) {
    World world(Memory::kOneBlock, FaultsOf({broken}));
    const Tensor tensor = world.Written(1);
    EXPECT_TRUE(config::IsError(world.lanes().CopyOut(tensor, world.compute()).status(), absl::StatusCode::kInternal,
                                "broken by the test"));
  }
  World world(Memory::kOneBlock, FaultsOf({{"compute", Call::kWaitForEvent, Fault::kFail}}));
  const Tensor tensor = world.Written(1);
  const auto copy = world.lanes().CopyOut(tensor, world.compute());
  ASSERT_TRUE(copy.ok()) << copy.status();
  EXPECT_TRUE(config::IsError((*copy)->Join(), absl::StatusCode::kInternal, "broken by the test"));
}

TEST(SwapLanesTest, RatesAreMeasuredOrAnErrorIsReturned) {
  const auto measure = [](Faults faults) {
    World world(Memory::kOneBlock, std::move(faults));
    return world.lanes().MeasureRates(world.allocator(), world.compute());
  };
  const absl::StatusOr<kernels::CopyRates> rates = measure(nullptr);
  ASSERT_TRUE(rates.ok()) << rates.status();
  EXPECT_GT(rates->out_bytes_per_second, 0);
  EXPECT_GT(rates->in_bytes_per_second, 0);
  for (const Broken& broken : {Broken{"in", Call::kCopy, Fault::kFail}, Broken{"out", Call::kBlock, Fault::kFail},
                               Broken{"compute", Call::kBlock, Fault::kFail}}) {
    EXPECT_TRUE(
        config::IsError(measure(FaultsOf({broken})).status(), absl::StatusCode::kInternal, "broken by the test"));
  }
}

}  // namespace
}  // namespace str::gpu
