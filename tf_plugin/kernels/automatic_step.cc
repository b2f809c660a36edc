#include "tf_plugin/kernels/automatic_step.h"

#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/strings/str_cat.h"
#include "absl/synchronization/mutex.h"
#include "tensorflow/core/framework/common_shape_fns.h"
#include "tensorflow/core/framework/op.h"
#include "tf_plugin/kernels/runnable_step.h"
#include "tf_plugin/kernels/step_registry.h"

namespace str::kernels {
namespace {

using tensorflow::AsyncOpKernel;
using tensorflow::OpKernelConstruction;
using tensorflow::OpKernelContext;
using tensorflow::TensorShape;

StepRegistry<StepMaker>& AllMakers() {
  static auto* const makers = new StepRegistry<StepMaker>;
  return *makers;
}

class AutomaticStepOp : public AsyncOpKernel {
 public:
  explicit AutomaticStepOp(OpKernelConstruction* construction) : AsyncOpKernel(construction) {
    std::string name;
    OP_REQUIRES_OK(construction, construction->GetAttr(kStepNameAttr, &name));
    maker_ = FindStepMaker(name);
    OP_REQUIRES(construction, maker_ != nullptr,
                absl::InternalError(absl::StrCat("no step '", name, "' to plan in this process")));
  }

  void ComputeAsync(OpKernelContext* context, DoneCallback done) override {
    const absl::StatusOr<std::shared_ptr<RunnableStep>> step = StepFor(*context);
    OP_REQUIRES_OK_ASYNC(context, step.status(), done);
    (*step)->Run(context, std::move(done));
  }

 private:
  struct SizedStep {
    std::vector<TensorShape> sizes;
    std::shared_ptr<RunnableStep> step;
  };

  absl::StatusOr<std::shared_ptr<RunnableStep>> StepFor(OpKernelContext& context) {
    std::vector<TensorShape> sizes;
    for (int argument : maker_->sized_arguments()) sizes.push_back(context.input(argument).shape());
    absl::MutexLock lock(&mutex_);
    for (const SizedStep& known : steps_) {
      if (known.sizes == sizes) return known.step;
    }
    for (const SizedStep& known : steps_) {
      if (Covers(known.sizes, sizes)) return known.step;
    }
    const absl::StatusOr<StepMaker::Made> made = maker_->Make(context);
    if (!made.ok()) return made.status();
    auto step = std::make_shared<RunnableStep>(made->step);
    if (!made->once) steps_.push_back({std::move(sizes), step});
    return step;
  }

  std::shared_ptr<StepMaker> maker_;
  absl::Mutex mutex_;
  std::vector<SizedStep> steps_ ABSL_GUARDED_BY(mutex_);
};

REGISTER_KERNEL_BUILDER(Name("StrAutomaticStep").Device(tensorflow::DEVICE_CPU), AutomaticStepOp);

}  // namespace

bool Covers(const std::vector<TensorShape>& planned, const std::vector<TensorShape>& sizes) {
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (planned[i].dims() != sizes[i].dims()) return false;
    for (int d = 0; d < sizes[i].dims(); ++d) {
      if (sizes[i].dim_size(d) > planned[i].dim_size(d)) return false;
    }
  }
  return true;
}

void AddStepMaker(const std::string& name, std::shared_ptr<StepMaker> maker) {
  AllMakers().Add(name, std::move(maker));
}

std::shared_ptr<StepMaker> FindStepMaker(const std::string& name) { return AllMakers().Find(name); }

REGISTER_OP("StrAutomaticStep")
    .Input("args: Tin")
    .Output("results: Tout")
    .Attr("Tin: list(type) >= 0")
    .Attr("Tout: list(type) >= 0")
    .Attr("step: string")
    .SetIsStateful()
    .SetShapeFn(tensorflow::shape_inference::UnknownShape);

}  // namespace str::kernels
