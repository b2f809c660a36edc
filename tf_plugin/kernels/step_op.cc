// The kernels of StrStep and StrChainEnd.
#include <memory>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "tensorflow/core/framework/op_kernel.h"
#include "tf_plugin/kernels/planned_step.h"
#include "tf_plugin/kernels/runnable_step.h"

namespace str::kernels {
namespace {

using tensorflow::AsyncOpKernel;
using tensorflow::OpKernel;
using tensorflow::OpKernelConstruction;
using tensorflow::OpKernelContext;

class StepOp : public AsyncOpKernel {
 public:
  explicit StepOp(OpKernelConstruction* construction) : AsyncOpKernel(construction) {
    std::string name;
    OP_REQUIRES_OK(construction, construction->GetAttr(kStepNameAttr, &name));
    std::shared_ptr<const PlannedStep> step = FindPlannedStep(name);
    OP_REQUIRES(construction, step != nullptr,
                absl::InternalError(absl::StrCat("no planned step '", name, "' in this process")));
    step_ = std::make_shared<RunnableStep>(std::move(step));
  }

  void ComputeAsync(OpKernelContext* context, DoneCallback done) override { step_->Run(context, std::move(done)); }

 private:
  std::shared_ptr<RunnableStep> step_;
};

class ChainEndOp : public OpKernel {
 public:
  explicit ChainEndOp(OpKernelConstruction* construction) : OpKernel(construction) {}
  void Compute(OpKernelContext*) override {}
};

REGISTER_KERNEL_BUILDER(Name("StrStep").Device(tensorflow::DEVICE_CPU), StepOp);
REGISTER_KERNEL_BUILDER(Name("StrChainEnd").Device(tensorflow::DEVICE_CPU), ChainEndOp);
// Where arguments and results lie is said by attributes of the node (rewrite/step_function.cc).
REGISTER_KERNEL_BUILDER(Name("StrStep").Device(tensorflow::DEVICE_GPU), StepOp);
REGISTER_KERNEL_BUILDER(Name("StrChainEnd").Device(tensorflow::DEVICE_GPU), ChainEndOp);

}  // namespace
}  // namespace str::kernels
