// The CPU kernels of StrSwapOut and StrSwapOutWait.
#include <cstring>
#include <memory>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "tensorflow/core/framework/op_kernel.h"
#include "tf_plugin/kernels/copy_engine.h"
#include "tf_plugin/kernels/host_pool.h"
#include "tf_plugin/kernels/swap_handles.h"

namespace str::kernels {
namespace {

using tensorflow::AsyncOpKernel;
using tensorflow::OpKernel;
using tensorflow::OpKernelConstruction;
using tensorflow::OpKernelContext;
using tensorflow::Tensor;

class SwapOutOp : public OpKernel {
 public:
  explicit SwapOutOp(OpKernelConstruction* construction) : OpKernel(construction) {}

  void Compute(OpKernelContext* context) override {
    const Tensor& tensor = context->input(0);
    auto copy = std::make_shared<HostCopy>(HostPool::Get().Take(tensor.TotalBytes()), tensor.dtype(), tensor.shape());
    OP_REQUIRES(context, copy->buffer.data() != nullptr || tensor.TotalBytes() == 0,
                absl::ResourceExhaustedError(absl::StrCat(name(), ": the host has no ", tensor.TotalBytes(),
                                                          " bytes left for a swapped tensor")));
    Tensor* handle = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, tensorflow::TensorShape({}), &handle));
    handle->scalar<tensorflow::Variant>()() = HostCopyHandle{copy};
    CopyEngine::Get().Enqueue(
        Direction::kOut,
        [copy, tensor] { std::memcpy(copy->buffer.data(), tensor.tensor_data().data(), tensor.TotalBytes()); },
        copy->out);
  }
};

class SwapOutWaitOp : public AsyncOpKernel {
 public:
  explicit SwapOutWaitOp(OpKernelConstruction* construction) : AsyncOpKernel(construction) {}

  void ComputeAsync(OpKernelContext* context, DoneCallback done) override {
    const auto* const handle = context->input(0).scalar<tensorflow::Variant>()().get<HostCopyHandle>();
    OP_REQUIRES_ASYNC(context, handle != nullptr, absl::InternalError("input 0 is not a host copy"), done);
    handle->value->out->OnDone(std::move(done));
  }
};

REGISTER_KERNEL_BUILDER(Name("StrSwapOut").Device(tensorflow::DEVICE_CPU), SwapOutOp);
REGISTER_KERNEL_BUILDER(Name("StrSwapOutWait").Device(tensorflow::DEVICE_CPU), SwapOutWaitOp);

}  // namespace
}  // namespace str::kernels
