// The GPU kernels of the swap ops (kernels/swap_ops.h). Each only queues work: starting a copy, or making the compute
// stream wait for one.
#include <memory>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/framework/variant.h"
#include "tf_plugin/gpu/swap_lanes.h"
#include "tf_plugin/kernels/swap_handles.h"
#include "tf_plugin/kernels/swap_ops.h"

namespace str::gpu {
namespace {

using tensorflow::OpKernel;
using tensorflow::OpKernelConstruction;
using tensorflow::OpKernelContext;
using tensorflow::Tensor;
using tensorflow::Variant;
using HostCopyHandle = kernels::SwapHandle<HostCopy>;
using PendingTensorHandle = kernels::SwapHandle<PendingTensor>;

stream_executor::Stream* ComputeStream(OpKernelContext& context) { return context.op_device_context()->stream(); }

class GpuSwapOutOp : public OpKernel {
 public:
  explicit GpuSwapOutOp(OpKernelConstruction* construction) : OpKernel(construction) {
    int64_t pool_bytes = 0;
    OP_REQUIRES_OK(construction, construction->GetAttr(kernels::kHostPoolAttr, &pool_bytes));
    const auto* const device = construction->device()->tensorflow_accelerator_device_info();
    OP_REQUIRES(construction, device != nullptr && device->stream != nullptr,
                absl::InternalError("the device has no stream"));
    const absl::StatusOr<SwapLanes*> lanes = SwapLanes::Of(device->stream->parent());
    OP_REQUIRES_OK(construction, lanes.status());
    lanes_ = *lanes;
    OP_REQUIRES_OK(construction, lanes_->pool().Reserve(pool_bytes));
  }

  void Compute(OpKernelContext* context) override {
    absl::StatusOr<std::shared_ptr<HostCopy>> copy = lanes_->CopyOut(context->input(0), ComputeStream(*context));
    OP_REQUIRES_OK(context, copy.status());
    Tensor* handle = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, tensorflow::TensorShape({}), &handle));
    handle->scalar<Variant>()() = HostCopyHandle{*std::move(copy)};
  }

 private:
  SwapLanes* lanes_ = nullptr;
};

class GpuSwapOutWaitOp : public OpKernel {
 public:
  explicit GpuSwapOutWaitOp(OpKernelConstruction* construction) : OpKernel(construction) {}

  void Compute(OpKernelContext* context) override {
    const auto* const handle = context->input(0).scalar<Variant>()().get<HostCopyHandle>();
    OP_REQUIRES(context, handle != nullptr, absl::InternalError("input 0 is not a host copy"));
    OP_REQUIRES_OK(context, handle->value->Join());
  }
};

class GpuSwapInOp : public OpKernel {
 public:
  explicit GpuSwapInOp(OpKernelConstruction* construction) : OpKernel(construction) {}

  void Compute(OpKernelContext* context) override {
    const auto* const handle = context->input(0).scalar<Variant>()().get<HostCopyHandle>();
    OP_REQUIRES(context, handle != nullptr, absl::InternalError("input 0 is not a host copy"));
    HostCopy& copy = *handle->value;
    stream_executor::Stream* const compute = ComputeStream(*context);
    const absl::StatusOr<SwapLanes*> lanes = SwapLanes::Of(compute->parent());
    OP_REQUIRES_OK(context, lanes.status());
    Tensor tensor;
    OP_REQUIRES_OK(context, context->allocate_temp(copy.dtype(), copy.shape(), &tensor));
    absl::StatusOr<std::shared_ptr<PendingTensor>> pending = (*lanes)->CopyIn(copy, std::move(tensor), compute);
    OP_REQUIRES_OK(context, pending.status());
    Tensor* output = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, tensorflow::TensorShape({}), &output));
    output->scalar<Variant>()() = PendingTensorHandle{*std::move(pending)};
  }
};

class GpuSwapInWaitOp : public OpKernel {
 public:
  explicit GpuSwapInWaitOp(OpKernelConstruction* construction) : OpKernel(construction) {}

  void Compute(OpKernelContext* context) override {
    const auto* const handle = context->input(0).scalar<Variant>()().get<PendingTensorHandle>();
    OP_REQUIRES(context, handle != nullptr, absl::InternalError("input 0 is not a pending tensor"));
    absl::StatusOr<Tensor> tensor = handle->value->Join();
    OP_REQUIRES_OK(context, tensor.status());
    context->set_output(0, *std::move(tensor));
  }
};

// Handles lie in the host's memory.
REGISTER_KERNEL_BUILDER(Name("StrSwapOut").Device(tensorflow::DEVICE_GPU).HostMemory("host"), GpuSwapOutOp);
REGISTER_KERNEL_BUILDER(Name("StrSwapOutWait").Device(tensorflow::DEVICE_GPU).HostMemory("host"), GpuSwapOutWaitOp);
REGISTER_KERNEL_BUILDER(Name("StrSwapIn").Device(tensorflow::DEVICE_GPU).HostMemory("host").HostMemory("pending"),
                        GpuSwapInOp);
REGISTER_KERNEL_BUILDER(Name("StrSwapInWait").Device(tensorflow::DEVICE_GPU).HostMemory("pending"), GpuSwapInWaitOp);

}  // namespace
}  // namespace str::gpu
