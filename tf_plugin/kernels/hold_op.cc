// The kernel of StrHold, the same on every device.
#include "tensorflow/core/framework/op_kernel.h"

namespace str::kernels {
namespace {

class HoldOp : public tensorflow::OpKernel {
 public:
  explicit HoldOp(tensorflow::OpKernelConstruction* construction) : OpKernel(construction) {}
  void Compute(tensorflow::OpKernelContext*) override {}
};

REGISTER_KERNEL_BUILDER(Name("StrHold").Device(tensorflow::DEVICE_CPU), HoldOp);
REGISTER_KERNEL_BUILDER(Name("StrHold").Device(tensorflow::DEVICE_GPU), HoldOp);

}  // namespace
}  // namespace str::kernels
