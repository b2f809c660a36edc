// The CPU kernels of StrSwapIn and StrSwapInWait.
#include <memory>
#include <utility>

#include "absl/status/status.h"
#include "tensorflow/core/framework/op_kernel.h"
#include "tf_plugin/kernels/copy_engine.h"
#include "tf_plugin/kernels/swap_handles.h"

namespace str::kernels {
namespace {

using tensorflow::AsyncOpKernel;
using tensorflow::OpKernel;
using tensorflow::OpKernelConstruction;
using tensorflow::OpKernelContext;
using tensorflow::Tensor;

class SwapInOp : public OpKernel {
 public:
  explicit SwapInOp(OpKernelConstruction* construction) : OpKernel(construction) {}

  void Compute(OpKernelContext* context) override {
    const auto* const handle = context->input(0).scalar<tensorflow::Variant>()().get<HostCopyHandle>();
    OP_REQUIRES(context, handle != nullptr, absl::InternalError("input 0 is not a host copy"));
    const std::shared_ptr<HostCopy> copy = handle->value;
    auto pending = std::make_shared<PendingTensor>();
    OP_REQUIRES_OK(context, context->allocate_temp(copy->dtype, copy->shape, &pending->tensor));
    Tensor* output = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, tensorflow::TensorShape({}), &output));
    output->scalar<tensorflow::Variant>()() = PendingTensorHandle{pending};
    // The copy holds `pending`, not the tensor: a step that fails meanwhile must not free the memory being filled, and
    // a second reference to the buffer would keep its user from taking it over.
    copy->out->OnDone([copy, pending](const absl::Status& status) {
      if (!status.ok()) {
        pending->in->Finish(status);
        return;
      }
      CopyEngine::Get().Enqueue(
          Direction::kIn, [copy, pending] { return copy->ReadInto(pending->tensor); }, pending->in);
    });
  }
};

class SwapInWaitOp : public AsyncOpKernel {
 public:
  explicit SwapInWaitOp(OpKernelConstruction* construction) : AsyncOpKernel(construction) {}

  void ComputeAsync(OpKernelContext* context, DoneCallback done) override {
    auto* const handle = context->input(0).scalar<tensorflow::Variant>()().get<PendingTensorHandle>();
    OP_REQUIRES_ASYNC(context, handle != nullptr, absl::InternalError("input 0 is not a pending tensor"), done);
    const std::shared_ptr<PendingTensor> pending = handle->value;
    pending->in->OnDone([context, pending, done = std::move(done)](const absl::Status& status) {
      if (status.ok()) {
        // The tensor changes hands, so that its users are the only ones who hold it.
        context->set_output(0, std::move(pending->tensor));
      } else {
        context->SetStatus(status);
      }
      done();
    });
  }
};

REGISTER_KERNEL_BUILDER(Name("StrSwapIn").Device(tensorflow::DEVICE_CPU), SwapInOp);
REGISTER_KERNEL_BUILDER(Name("StrSwapInWait").Device(tensorflow::DEVICE_CPU), SwapInWaitOp);

}  // namespace
}  // namespace str::kernels
