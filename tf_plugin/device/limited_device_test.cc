// Sessions on the limited device, with a limit of 8 MiB.
#include "tf_plugin/device/limited_device.h"

#include <atomic>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/synchronization/mutex.h"
#include "config/status_testing.h"
#include "gtest/gtest.h"
#include "tensorflow/core/framework/device.h"
#include "tensorflow/core/framework/device_factory.h"
#include "tf_plugin/device/marked_graph.h"
#include "tf_plugin/testing/graph_builder.h"
#include "tf_plugin/testing/graph_session.h"

namespace str::device {
namespace {

using tensorflow::DT_FLOAT;
using testing::GraphBuilder;
using testing::GraphSession;

constexpr int64_t kMiB = 1 << 20;

[[maybe_unused]] const bool registered = [] {
  RegisterLimitedDevice(8 * kMiB);
  return true;
}();

bool IsOutOfMemory(const absl::Status& status, const std::string& part) {
  return absl::IsResourceExhausted(status) && absl::StrContains(status.message(), part);
}

// A tensor of `mib` MiB that is made in the step.
void AddTensor(GraphBuilder& b, const std::string& name, int mib) {
  b.Ints(name + "/dims", {mib << 18});
  b.Add("RandomUniform", name, {name + "/dims"}, {{"dtype", DT_FLOAT}});
}

TEST(LimitedDeviceTest, WithinTheLimitAllIsAsUsual) {
  GraphBuilder b;
  AddTensor(b, "x", 3);
  b.Add("Neg", "y", {"x"});
  GraphSession session(b.graph());
  const absl::StatusOr<std::vector<tensorflow::Tensor>> result = session.Run({"x:0", "y:0"});
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->at(0).flat<float>()(9), -result->at(1).flat<float>()(9));
  EXPECT_GE(SharedDeviceMemory()->GetStats()->peak_bytes_in_use, 6 * kMiB);
}

TEST(LimitedDeviceTest, BeyondItTheStepFailsCleanlyByTheNameOfTheOp) {
  GraphBuilder b;
  AddTensor(b, "x", 5);
  b.Ints("all", {0});
  // Not in place: x is needed again.
  b.Add("Exp", "too_much", {"x"});
  b.Add("Mul", "product", {"x", "too_much"});
  b.Add("Sum", "sum", {"product", "all"});
  GraphSession session(b.graph());
  for (int i = 0; i < 3; ++i) {
    const absl::Status status = session.Run({"sum:0"}).status();
    EXPECT_TRUE(IsOutOfMemory(status, "too_much: out of device memory: 5.00 MiB (5242880 bytes) asked for")) << status;
    EXPECT_TRUE(IsOutOfMemory(status, "limit 8.00 MiB (8388608 bytes)")) << status;
  }
  EXPECT_LT(SharedDeviceMemory()->GetStats()->bytes_in_use, kMiB) << "failed steps leave nothing behind";

  GraphBuilder small;
  AddTensor(small, "x", 5);
  EXPECT_OK(GraphSession(small.graph()).Run({"x:0"}).status());
}

TEST(LimitedDeviceTest, ConvolutionsFailAsCleanlyAsAnythingElse) {
  GraphBuilder b;
  b.Ints("x/dims", {1, 256, 256, 8});
  b.Add("RandomUniform", "x", {"x/dims"}, {{"dtype", DT_FLOAT}});
  b.Floats("w", {3, 3, 8, 32});
  b.Add("Conv2D", "conv", {"x", "w"}, {{"strides", std::vector<int>{1, 1, 1, 1}}, {"padding", "SAME"}});
  const absl::Status status = GraphSession(b.graph()).Run({"conv:0"}).status();
  EXPECT_TRUE(IsOutOfMemory(status, "conv: out of device memory: 8.00 MiB")) << status;
}

TEST(LimitedDeviceTest, AnAllocationOutsideOfOpsFailsTheNextOp) {
  GraphBuilder b;
  AddTensor(b, "x", 1);
  GraphSession session(b.graph());
  EXPECT_OK(session.Run({"x:0"}).status());
  void* const outside = SharedDeviceMemory()->AllocateRaw(64, 20 * kMiB);
  EXPECT_TRUE(IsOutOfMemory(session.Run({"x:0"}).status(), "20.00 MiB"));
  SharedDeviceMemory()->DeallocateRaw(outside);
  // It is said once.
  EXPECT_OK(session.Run({"x:0"}).status());
}

TEST(LimitedDeviceTest, EveryCpuDeviceSharesTheMemory) {
  tensorflow::SessionOptions options;
  (*options.config.mutable_device_count())["CPU"] = 2;
  std::vector<std::unique_ptr<tensorflow::Device>> devices;
  EXPECT_OK(tensorflow::DeviceFactory::GetFactory("CPU")->CreateDevices(options, "/job:localhost/replica:0/task:0",
                                                                        &devices));
  ASSERT_EQ(devices.size(), 2);
  EXPECT_EQ(devices[0]->name(), "/job:localhost/replica:0/task:0/device:CPU:0");
  EXPECT_EQ(devices[1]->name(), "/job:localhost/replica:0/task:0/device:CPU:1");
  for (const auto& device : devices) {
    EXPECT_EQ(device->GetAllocator(tensorflow::AllocatorAttributes()), SharedDeviceMemory());
  }
}

// What the device tells of each op: index, status, and what the op still held.
class RecordingObserver : public GraphObserver {
 public:
  void Starting(int index, tensorflow::OpKernelContext&, OpRecord& op) override {
    absl::MutexLock lock(&mutex_);
    EXPECT_FALSE(op.in_marked_graph) << "the observer says how memory counts";
    started_.insert(index);
  }
  void Finished(int index, tensorflow::OpKernelContext&, const OpRecord& op, int64_t elapsed_ns) override {
    absl::MutexLock lock(&mutex_);
    EXPECT_EQ(started_.count(index), 1);
    EXPECT_GT(elapsed_ns, 0);
    finished_.push_back({index, op.held_bytes});
  }
  std::vector<std::pair<int, int64_t>> finished() {
    absl::MutexLock lock(&mutex_);
    return finished_;
  }

 private:
  absl::Mutex mutex_;
  std::set<int> started_;
  std::vector<std::pair<int, int64_t>> finished_;
};

TEST(LimitedDeviceTest, MarkedOpsAreReportedOthersAreNot) {
  GraphBuilder b;
  AddTensor(b, "x", 1);
  b.Add("Exp", "unmarked", {"x"});
  b.Ints("all", {0});
  b.Add("Sum", "sum", {"unmarked", "all"});
  const auto observer = std::make_shared<RecordingObserver>();
  SetObserver("reported", observer);
  MarkNode(b.Find("x"), "reported", 3);
  MarkNode(b.Find("sum"), "reported", 5);
  EXPECT_OK(GraphSession(b.graph()).Run({"sum:0"}).status());
  const std::vector<std::pair<int, int64_t>> expected = {{3, kMiB}, {5, 256}};
  EXPECT_EQ(observer->finished(), expected);
}

// Sees whether marked ops overlap.
class AloneObserver : public GraphObserver {
 public:
  absl::Mutex* OneAtATime() override { return &one_at_a_time_; }
  void Starting(int, tensorflow::OpKernelContext&, OpRecord&) override { EXPECT_EQ(++running_, 1); }
  void Finished(int, tensorflow::OpKernelContext&, const OpRecord&, int64_t) override {
    --running_;
    ++finished_;
  }
  int finished() const { return finished_; }

 private:
  absl::Mutex one_at_a_time_;
  std::atomic<int> running_ = 0;
  std::atomic<int> finished_ = 0;
};

TEST(LimitedDeviceTest, OpsRunOneAtATimeIfTheObserverWantsIt) {
  GraphBuilder b;
  const auto observer = std::make_shared<AloneObserver>();
  SetObserver("alone", observer);
  std::vector<std::string> targets;
  for (int i = 0; i < 6; ++i) {
    const std::string name = "x" + std::to_string(i);
    AddTensor(b, name, 1);
    MarkNode(b.Find(name), "alone", i);
    targets.push_back(name);
  }
  GraphSession session(b.graph());
  for (int i = 0; i < 5; ++i) EXPECT_OK(session.Run({}, targets).status());
  EXPECT_EQ(observer->finished(), 30);
}

}  // namespace
}  // namespace str::device
