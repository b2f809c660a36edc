// The CPU kernels of StrSwapOut and StrSwapOutWait.
#include <memory>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "tensorflow/core/framework/op_kernel.h"
#include "tf_plugin/kernels/copy_engine.h"
#include "tf_plugin/kernels/host_pool.h"
#include "tf_plugin/kernels/spill_file.h"
#include "tf_plugin/kernels/swap_handles.h"
#include "tf_plugin/kernels/swap_ops.h"

namespace str::kernels {
namespace {

using tensorflow::AsyncOpKernel;
using tensorflow::OpKernel;
using tensorflow::OpKernelConstruction;
using tensorflow::OpKernelContext;
using tensorflow::Tensor;

class SwapOutOp : public OpKernel {
 public:
  explicit SwapOutOp(OpKernelConstruction* construction) : OpKernel(construction) {
    OP_REQUIRES_OK(construction, construction->GetAttr(kDiskAttr, &disk_));
  }

  void Compute(OpKernelContext* context) override {
    const Tensor& tensor = context->input(0);
    absl::StatusOr<HostCopy::Place> place = TakePlace(tensor.TotalBytes());
    OP_REQUIRES_OK(context, place.status());
    auto copy = std::make_shared<HostCopy>(*std::move(place), tensor.dtype(), tensor.shape());
    Tensor* handle = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, tensorflow::TensorShape({}), &handle));
    handle->scalar<tensorflow::Variant>()() = HostCopyHandle{copy};
    CopyEngine::Get().Enqueue(
        Direction::kOut, [copy, tensor] { return copy->Fill(tensor); }, copy->out);
  }

 private:
  absl::StatusOr<HostCopy::Place> TakePlace(int64_t bytes) const {
    if (disk_) {
      absl::StatusOr<SpillRange> range = SpillFile::Get().Take(bytes);
      if (!range.ok()) return range.status();
      return HostCopy::Place(*std::move(range));
    }
    HostBuffer buffer = HostPool::Get().Take(bytes);
    if (buffer.data() == nullptr && bytes > 0) {
      return absl::ResourceExhaustedError(
          absl::StrCat(name(), ": the host has no ", bytes, " bytes left for a swapped tensor"));
    }
    return HostCopy::Place(std::move(buffer));
  }

  bool disk_ = false;
};

class SwapOutWaitOp : public AsyncOpKernel {
 public:
  explicit SwapOutWaitOp(OpKernelConstruction* construction) : AsyncOpKernel(construction) {}

  void ComputeAsync(OpKernelContext* context, DoneCallback done) override {
    const auto* const handle = context->input(0).scalar<tensorflow::Variant>()().get<HostCopyHandle>();
    OP_REQUIRES_ASYNC(context, handle != nullptr, absl::InternalError("input 0 is not a host copy"), done);
    handle->value->out->OnDone([context, done = std::move(done)](const absl::Status& status) {
      if (!status.ok()) context->SetStatus(status);
      done();
    });
  }
};

REGISTER_KERNEL_BUILDER(Name("StrSwapOut").Device(tensorflow::DEVICE_CPU), SwapOutOp);
REGISTER_KERNEL_BUILDER(Name("StrSwapOutWait").Device(tensorflow::DEVICE_CPU), SwapOutWaitOp);

}  // namespace
}  // namespace str::kernels
