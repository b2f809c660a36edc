#include "tf_plugin/device/observed_op.h"

#include <memory>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tensorflow/core/common_runtime/device.h"
#include "tensorflow/core/framework/device_factory.h"
#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/public/session_options.h"
#include "tensorflow/core/public/version.h"
#include "tf_plugin/device/refusing_source.h"

namespace str::device {
namespace {

using tensorflow::OpKernelContext;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr int64_t kMiB = int64_t{1} << 20;

// Runs an op that does what a test says.
class ObservedOpTest : public ::testing::Test {
 protected:
  ObservedOpTest()
      : device_(tensorflow::DeviceFactory::NewDevice("CPU", tensorflow::SessionOptions(), "/job:a/replica:0/task:0")) {
    tensorflow::NodeDef node;
    node.set_name("op");
    node.set_op("NoOp");
    absl::Status status;
    kernel_ =
        tensorflow::CreateOpKernel(tensorflow::DEVICE_CPU, device_.get(), nullptr, node, TF_GRAPH_DEF_VERSION, &status);
    CHECK(status.ok()) << status;
    params_.device = device_.get();
    params_.op_kernel = kernel_.get();
  }

  absl::Status Run(DeviceMemory& memory, absl::FunctionRef<void(OpKernelContext&)> compute) {
    OpKernelContext context(&params_);
    RunObserved(memory, kernel_.get(), &context, [&](const Mark&, OpRecord&) { compute(context); });
    return context.status();
  }

  std::unique_ptr<tensorflow::Device> device_;
  std::unique_ptr<tensorflow::OpKernel> kernel_;
  OpKernelContext::Params params_;
};

TEST_F(ObservedOpTest, AKernelThatDoesWithoutRefusedMemorySucceeds) {
  DeviceMemory memory(kMiB, std::make_unique<RefusingSource>(8 * kMiB));
  ::testing::internal::CaptureStderr();
  // As those that choose among workspaces.
  const absl::Status status = Run(memory, [&](OpKernelContext&) {
    EXPECT_EQ(memory.AllocateRaw(64, 2 * kMiB), nullptr);
    memory.DeallocateRaw(memory.AllocateRaw(64, kMiB / 2));
  });
  EXPECT_TRUE(status.ok()) << status;
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
}

TEST_F(ObservedOpTest, AKernelThatFailsForWantOfMemoryHasItsReasonReported) {
  DeviceMemory memory(kMiB, std::make_unique<RefusingSource>(8 * kMiB));
  ::testing::internal::CaptureStderr();
  const absl::Status status = Run(memory, [&](OpKernelContext& context) {
    if (memory.AllocateRaw(64, 2 * kMiB) == nullptr) context.SetStatus(absl::ResourceExhaustedError("OOM"));
  });
  EXPECT_EQ(status, absl::ResourceExhaustedError("OOM"));
  EXPECT_THAT(::testing::internal::GetCapturedStderr(),
              StartsWith("STR-3014 op: out of device memory: 2.00 MiB (2097152 bytes) asked for"));
  EXPECT_TRUE(Run(memory, [](OpKernelContext&) {}).ok()) << "the next op has nothing to do with it";
}

TEST_F(ObservedOpTest, ARefusalOutsideOfOpsFailsNoOp) {
  DeviceMemory memory(kMiB, std::make_unique<RefusingSource>(8 * kMiB));
  EXPECT_EQ(memory.AllocateRaw(64, 2 * kMiB), nullptr);
  EXPECT_TRUE(Run(memory, [](OpKernelContext&) {}).ok());
}

TEST_F(ObservedOpTest, EmergencyMemoryFailsTheOpWhateverItsKernelSays) {
  DeviceMemory memory(kMiB);
  const absl::Status status =
      Run(memory, [&](OpKernelContext&) { memory.DeallocateRaw(memory.AllocateRaw(64, 2 * kMiB)); });
  EXPECT_TRUE(absl::IsResourceExhausted(status)) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("op: out of device memory: 2.00 MiB"));
  EXPECT_TRUE(Run(memory, [](OpKernelContext&) {}).ok());
}

}  // namespace
}  // namespace str::device
