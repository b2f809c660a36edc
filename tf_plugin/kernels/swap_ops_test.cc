#include "tf_plugin/kernels/swap_ops.h"

#include <sys/resource.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/synchronization/notification.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "config/status_testing.h"
#include "gtest/gtest.h"
#include "tensorflow/core/framework/types.h"
#include "tf_plugin/device/limited_device.h"
#include "tf_plugin/kernels/copy_engine.h"
#include "tf_plugin/testing/graph_builder.h"
#include "tf_plugin/testing/graph_session.h"

namespace str::kernels {
namespace {

using tensorflow::DT_FLOAT;
using tensorflow::Tensor;
using tensorflow::TensorShape;
using testing::BitEqual;
using testing::GraphBuilder;
using testing::GraphSession;

constexpr int64_t kMiB = 1 << 20;

// Sessions of this test run on STR's device, without a limit, so that its memory can be watched.
[[maybe_unused]] const bool registered = [] {
  device::RegisterLimitedDevice(device::kNoLimit);
  return true;
}();

int64_t BytesInUse() { return device::SharedDeviceMemory()->GetStats()->bytes_in_use; }

// Copies, and what they hold, may outlast a step by a moment.
void ExpectSettlesAt(int64_t bytes) {
  const absl::Time deadline = absl::Now() + absl::Seconds(10);
  while (BytesInUse() != bytes && absl::Now() < deadline) absl::SleepFor(absl::Milliseconds(1));
  EXPECT_EQ(BytesInUse(), bytes);
}

// What is in use when no step is under way: constants, which are allocated when a session first runs.
int64_t IdleBytes() {
  const absl::Time deadline = absl::Now() + absl::Seconds(10);
  while (BytesInUse() > kMiB && absl::Now() < deadline) absl::SleepFor(absl::Milliseconds(1));
  return BytesInUse();
}

// Keeps one lane of the copy engine busy until it is destroyed.
class BlockedLane {
 public:
  explicit BlockedLane(Direction direction) {
    CopyEngine::Get().Enqueue(
        direction,
        [release = release_] {
          release->WaitForNotification();
          return absl::OkStatus();
        },
        std::make_shared<Transfer>());
  }
  ~BlockedLane() { release_->Notify(); }

 private:
  const std::shared_ptr<absl::Notification> release_ = std::make_shared<absl::Notification>();
};

// SOURCE goes out and comes back as "back", one op after the other.
void AddRoundTrip(GraphBuilder& b, const std::string& source, tensorflow::DataType type, bool disk = false) {
  b.Add("StrSwapOut", "out", {source}, {{"disk", disk}});
  b.Add("StrSwapOutWait", "out_wait", {"out", source});
  b.Add("StrSwapIn", "in", {"out", "^out_wait"}, {{"T", type}});
  b.Add("StrSwapInWait", "back", {"in"}, {{"T", type}});
}

Tensor RandomBytes(tensorflow::DataType type, const TensorShape& shape) {
  Tensor tensor(type, shape);
  std::mt19937 random(7);
  char* const data = const_cast<char*>(tensor.tensor_data().data());
  for (size_t i = 0; i < tensor.tensor_data().size(); ++i) {
    data[i] = static_cast<char>(type == tensorflow::DT_BOOL ? random() % 2 : random());
  }
  return tensor;
}

TEST(SwapOpsTest, TensorsOfAllTypesComeBackAsTheyWent) {
  for (const tensorflow::DataType type : {DT_FLOAT, tensorflow::DT_DOUBLE, tensorflow::DT_HALF, tensorflow::DT_BFLOAT16,
                                          tensorflow::DT_INT8, tensorflow::DT_INT32, tensorflow::DT_INT64,
                                          tensorflow::DT_UINT8, tensorflow::DT_BOOL, tensorflow::DT_COMPLEX64}) {
    for (const TensorShape& shape :
         {TensorShape({}), TensorShape({7}), TensorShape({0, 3}), TensorShape({33, 5, 17})}) {
      for (const bool disk : {false, true}) {
        GraphBuilder b;
        const Tensor value = RandomBytes(type, shape);
        b.Constant("x", value);
        AddRoundTrip(b, "x", type, disk);
        const absl::StatusOr<std::vector<Tensor>> result = GraphSession(b.graph()).Run({"back:0"});
        ASSERT_TRUE(result.ok()) << result.status();
        EXPECT_TRUE(BitEqual(result->at(0), value)) << tensorflow::DataTypeString(type) << " " << shape.DebugString();
      }
    }
  }
}

TEST(SwapOpsTest, OneCopyOnTheHostComesBackAsOftenAsWanted) {
  GraphBuilder b;
  b.Floats("x", {100});
  AddRoundTrip(b, "x", DT_FLOAT);
  b.Add("StrSwapIn", "in2", {"out", "^back"}, {{"T", DT_FLOAT}});
  b.Add("StrSwapInWait", "back2", {"in2"}, {{"T", DT_FLOAT}});
  // Takes over the first instance's memory, and must not touch the host's copy.
  b.Add("Neg", "neg", {"back"});
  const absl::StatusOr<std::vector<Tensor>> result = GraphSession(b.graph()).Run({"x:0", "back2:0", "neg:0"});
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_TRUE(BitEqual(result->at(0), result->at(1)));
  EXPECT_EQ(result->at(2).flat<float>()(5), -result->at(0).flat<float>()(5));
}

TEST(SwapOpsTest, ASwapInMayStartBeforeTheSwapOutHasEnded) {
  GraphBuilder b;
  b.Floats("x", {100});
  b.Add("StrSwapOut", "out", {"x"});
  b.Add("StrSwapIn", "in", {"out"}, {{"T", DT_FLOAT}});
  b.Add("StrSwapInWait", "back", {"in"}, {{"T", DT_FLOAT}});
  GraphSession session(b.graph());
  auto lane = std::make_unique<BlockedLane>(Direction::kOut);
  std::thread opener([&lane] {
    absl::SleepFor(absl::Milliseconds(20));
    lane.reset();
  });
  const absl::StatusOr<std::vector<Tensor>> result = session.Run({"x:0", "back:0"});
  opener.join();
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_TRUE(BitEqual(result->at(0), result->at(1)));
}

TEST(SwapOpsTest, StartingACopyDoesNotWaitForIt) {
  GraphBuilder b;
  b.Floats("x", {100});
  b.Add("StrSwapOut", "out", {"x"});
  b.Add("NoOp", "after", {"^out"});
  GraphSession session(b.graph());
  const BlockedLane lane(Direction::kOut);
  EXPECT_OK(session.Run({}, {"after"}).status());
}

// A 4 MiB tensor made in the step, "x", which is the same in every session's first step.
void AddLargeTensor(GraphBuilder& b) {
  b.Ints("dims", {kMiB});
  b.Add("RandomUniform", "x", {"dims"}, {{"dtype", DT_FLOAT}, {"seed", 1}, {"seed2", 2}});
}

class SwapOpsMemoryTest : public ::testing::TestWithParam<bool> {};

INSTANTIATE_TEST_SUITE_P(Tiers, SwapOpsMemoryTest, ::testing::Bool(),
                         [](const auto& info) { return info.param ? "Disk" : "Host"; });

TEST_P(SwapOpsMemoryTest, OutMeansFreedAndBackMeansOwned) {
  GraphBuilder b;
  AddLargeTensor(b);
  AddRoundTrip(b, "x", DT_FLOAT, /*disk=*/GetParam());
  b.Add("Neg", "in_place", {"back"});
  b.Ints("all", {0});
  b.Add("Sum", "sum", {"in_place", "all"});
  GraphSession session(b.graph());
  EXPECT_OK(session.Run({"sum:0"}).status());
  const int64_t before = IdleBytes();
  for (int i = 0; i < 3; ++i) {
    device::SharedDeviceMemory()->ClearStats();
    EXPECT_OK(session.Run({"sum:0"}).status());
    // x is freed before its second instance is allocated, and Neg takes that one over: never two of them.
    const int64_t peak = device::SharedDeviceMemory()->GetStats()->peak_bytes_in_use;
    EXPECT_GE(peak - before, 4 * kMiB);
    EXPECT_LT(peak - before, 4 * kMiB + 8 * 1024);
  }
}

// A step that fails when the copy back has been started and nobody waited for it yet.
void AddFailureAfterSwapIn(GraphBuilder& b) {
  AddLargeTensor(b);
  b.Add("StrSwapOut", "out", {"x"});
  b.Add("StrSwapOutWait", "out_wait", {"out", "x"});
  b.Add("StrSwapIn", "in", {"out", "^out_wait"}, {{"T", DT_FLOAT}});
  b.Constant("no", Tensor(false));
  b.Constant("why", Tensor(tensorflow::tstring("on purpose")));
  b.Add("Assert", "failure", {"no", "why", "^in"});
  b.Add("StrSwapInWait", "back", {"in", "^failure"}, {{"T", DT_FLOAT}});
}

TEST(SwapOpsFailureTest, MemoryBeingFilledOutlivesAFailedStep) {
  GraphBuilder failing;
  AddFailureAfterSwapIn(failing);
  GraphSession failing_session(failing.graph());
  GraphBuilder good;
  good.Ints("dims", {kMiB});
  good.Add("RandomUniform", "random", {"dims"}, {{"dtype", DT_FLOAT}});
  good.Add("ZerosLike", "zeros", {"random"});
  GraphSession good_session(good.graph());
  EXPECT_FALSE(failing_session.Run({"back:0"}).ok());
  EXPECT_TRUE(good_session.Run({"zeros:0"}).ok());
  const int64_t before = IdleBytes();

  std::vector<Tensor> zeros;
  {
    const BlockedLane lane(Direction::kIn);
    EXPECT_TRUE(config::IsInvalid(failing_session.Run({"back:0"}).status(), "on purpose"));
    ExpectSettlesAt(before + 4 * kMiB);
    const absl::StatusOr<std::vector<Tensor>> result = good_session.Run({"zeros:0"});
    ASSERT_TRUE(result.ok()) << result.status();
    zeros = *result;
    EXPECT_EQ(BytesInUse(), before + 8 * kMiB);
  }
  // Now the copy goes on. It must not write into what the second step was given.
  ExpectSettlesAt(before + 4 * kMiB);
  const auto values = zeros[0].flat<float>();
  EXPECT_EQ(std::count(values.data(), values.data() + kMiB, 0.0f), kMiB);
  zeros.clear();
  ExpectSettlesAt(before);
}

TEST(SwapOpsFailureTest, MemoryBeingReadOutlivesAFailedStep) {
  GraphBuilder b;
  AddLargeTensor(b);
  b.Add("StrSwapOut", "out", {"x"});
  b.Constant("no", Tensor(false));
  b.Constant("why", Tensor(tensorflow::tstring("on purpose")));
  b.Add("Assert", "failure", {"no", "why", "^out"});
  b.Add("StrSwapOutWait", "out_wait", {"out", "x", "^failure"});
  GraphSession session(b.graph());
  EXPECT_FALSE(session.Run({}, {"out_wait"}).ok());
  const int64_t before = IdleBytes();
  {
    const BlockedLane lane(Direction::kOut);
    EXPECT_TRUE(config::IsInvalid(session.Run({}, {"out_wait"}).status(), "on purpose"));
    ExpectSettlesAt(before + 4 * kMiB);
  }
  ExpectSettlesAt(before);
}

// From now on this process's files may have no byte. 0 if what the disk cannot take fails the step, and nothing else
// does.
int RunOnAFullDisk(bool wait_for_out, bool disk) {
  std::signal(SIGXFSZ, SIG_IGN);
  const rlimit no_byte = {0, 0};
  setrlimit(RLIMIT_FSIZE, &no_byte);
  GraphBuilder b;
  AddLargeTensor(b);
  if (wait_for_out) {
    AddRoundTrip(b, "x", DT_FLOAT, disk);
  } else {
    b.Add("StrSwapOut", "out", {"x"}, {{"disk", disk}});
    b.Add("StrSwapIn", "in", {"out"}, {{"T", DT_FLOAT}});
    b.Add("StrSwapInWait", "back", {"in"}, {{"T", DT_FLOAT}});
  }
  const absl::Status status = GraphSession(b.graph()).Run({"back:0"}).status();
  if (!disk) return status.ok() ? 0 : 3;
  return absl::IsResourceExhausted(status) && absl::StrContains(status.message(), "STR_SPILL_DIR") ? 0 : 4;
}

TEST(SwapOpsFailureTest, AFullDiskFailsTheStepThatWaits) {
  // A fork would not have the copying threads.
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const ::testing::ExitedWithCode well(0);
  EXPECT_EXIT(std::exit(RunOnAFullDisk(/*wait_for_out=*/true, /*disk=*/true)), well, "");
  EXPECT_EXIT(std::exit(RunOnAFullDisk(/*wait_for_out=*/false, /*disk=*/true)), well, "");
  EXPECT_EXIT(std::exit(RunOnAFullDisk(/*wait_for_out=*/true, /*disk=*/false)), well, "");
}

TEST(SwapOpsFailureTest, ManyFailedStepsLeaveNothingBehind) {
  GraphBuilder b;
  AddFailureAfterSwapIn(b);
  GraphSession session(b.graph());
  EXPECT_FALSE(session.Run({"back:0"}).ok());
  const int64_t before = IdleBytes();
  for (int i = 0; i < 30; ++i) {
    EXPECT_TRUE(config::IsInvalid(session.Run({"back:0"}).status(), "on purpose"));
  }
  ExpectSettlesAt(before);
}

TEST(SwapOpsFailureTest, AForeignHandleIsRefused) {
  GraphBuilder b;
  b.Ints("shape", {2});
  b.Constant("one", Tensor(1));
  b.Add("TensorListReserve", "list", {"shape", "one"}, {{"element_dtype", DT_FLOAT}});
  b.Add("StrSwapIn", "in", {"list"}, {{"T", DT_FLOAT}});
  b.Add("StrSwapInWait", "back", {"list"}, {{"T", DT_FLOAT}});
  b.Floats("x", {2});
  b.Add("StrSwapOutWait", "out_wait", {"list", "x"});
  GraphSession session(b.graph());
  EXPECT_EQ(session.Run({}, {"in"}).status().code(), absl::StatusCode::kInternal);
  EXPECT_EQ(session.Run({"back:0"}).status().code(), absl::StatusCode::kInternal);
  EXPECT_EQ(session.Run({}, {"out_wait"}).status().code(), absl::StatusCode::kInternal);
}

}  // namespace
}  // namespace str::kernels
