#include "tf_plugin/kernels/runnable_step.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "tensorflow/core/common_runtime/device.h"

namespace str::kernels {

using tensorflow::FunctionLibraryRuntime;
using tensorflow::OpKernelContext;
using tensorflow::Tensor;

// Arguments and results of one run. The op's context, which outlives the run, holds the arguments.
class RunnableStep::Frame : public tensorflow::CallFrameInterface {
 public:
  // `guard` is null for a plain run.
  Frame(OpKernelContext* context, StepGuard* guard)
      : context_(context), guard_(guard), results_(context->num_outputs()), delivered_(context->num_outputs(), false) {}

  size_t num_args() const override { return context_->num_inputs(); }
  size_t num_retvals() const override { return results_.size(); }

  absl::Status GetArg(int index, const Tensor** value) override {
    if (index < 0 || index >= context_->num_inputs()) {
      return absl::InternalError(absl::StrCat("the step has no argument ", index));
    }
    *value = &context_->input(index);
    return absl::OkStatus();
  }

  absl::Status SetRetval(int index, const Tensor& value) override {
    if (index < 0 || index >= static_cast<int>(results_.size())) {
      return absl::InternalError(absl::StrCat("the step has no result ", index));
    }
    if (guard_ != nullptr) guard_->Result(context_->step_id(), index, value);
    absl::MutexLock lock(&mutex_);
    results_[index] = value;
    delivered_[index] = true;
    return absl::OkStatus();
  }

  std::vector<bool> delivered() const {
    absl::MutexLock lock(&mutex_);
    return delivered_;
  }

  // Hands the results to the op. TensorFlow's own functions return an empty tensor for a result without a value.
  void Deliver() {
    absl::MutexLock lock(&mutex_);
    for (size_t i = 0; i < results_.size(); ++i) {
      const int index = static_cast<int>(i);
      if (!delivered_[i]) results_[i] = Tensor(context_->expected_output_dtype(index), tensorflow::TensorShape({0}));
      context_->set_output(index, std::move(results_[i]));
    }
  }

 private:
  OpKernelContext* const context_;
  StepGuard* const guard_;
  mutable absl::Mutex mutex_;
  std::vector<Tensor> results_ ABSL_GUARDED_BY(mutex_);
  std::vector<bool> delivered_ ABSL_GUARDED_BY(mutex_);
};

StepBody::~StepBody() {
  if (!built_) return;
  if (auto library = runtime_.GetNewRef(); library != nullptr) library->ReleaseHandle(handle_).IgnoreError();
}

absl::StatusOr<StepBody::Handle> StepBody::Build(FunctionLibraryRuntime* runtime,
                                                 const tensorflow::FunctionLibraryDefinition& library,
                                                 const std::string& name) {
  if (built_) return handle_;
  FunctionLibraryRuntime::InstantiateOptions options;
  options.lib_def = &library;
  // The passes that TensorFlow runs on whole functions have run on this graph.
  options.is_component_function = true;
  // Now, not in the first run: a body that cannot be built is then known before it has done anything.
  options.create_kernels_eagerly = true;
  Handle handle = tensorflow::kInvalidHandle;
  if (absl::Status status = runtime->Instantiate(name, tensorflow::AttrSlice(), options, &handle); !status.ok()) {
    // Without its kernels it is instantiated all the same.
    if (handle != tensorflow::kInvalidHandle) runtime->ReleaseHandle(handle).IgnoreError();
    return status;
  }
  handle_ = handle;
  runtime_ = tensorflow::core::WeakPtr<FunctionLibraryRuntime>(runtime);
  built_ = true;
  return handle_;
}

FunctionLibraryRuntime::Options BodyOptions(OpKernelContext& context) {
  FunctionLibraryRuntime::Options options(context.step_id());
  options.rendezvous = context.rendezvous();
  options.cancellation_manager = context.cancellation_manager();
  options.collective_executor = context.collective_executor();
  options.step_container = context.step_container();
  options.stats_collector = context.stats_collector();
  options.runner = context.runner();
  options.run_all_kernels_inline = context.run_all_kernels_inline();
  options.source_device = context.function_library()->device()->name();
  return options;
}

void RunnableStep::Run(OpKernelContext* context, tensorflow::AsyncOpKernel::DoneCallback done) {
  FunctionLibraryRuntime* const runtime = context->function_library();
  OP_REQUIRES_ASYNC(context, runtime != nullptr, absl::InternalError("functions cannot be run here"), done);
  StepGuard* guard = nullptr;
  const absl::StatusOr<StepBody::Handle> handle = Choose(runtime, guard);
  OP_REQUIRES_OK_ASYNC(context, handle.status(), done);
  const auto frame = std::make_shared<Frame>(context, guard);
  if (guard != nullptr) guard->Begin(context->step_id());
  runtime->Run(BodyOptions(*context), *handle, frame.get(),
               [self = shared_from_this(), context, guard, frame, done = std::move(done)](const absl::Status& status) {
                 if (absl::Status all = self->Conclude(*context, guard, *frame, status); all.ok()) {
                   frame->Deliver();
                 } else {
                   context->SetStatus(all);
                 }
                 done();
               });
}

absl::StatusOr<StepBody::Handle> RunnableStep::Choose(FunctionLibraryRuntime* runtime, StepGuard*& guard) {
  absl::MutexLock lock(&mutex_);
  if (failure_.ok()) {
    const absl::StatusOr<StepBody::Handle> planned = planned_.Build(runtime, *step_->library, step_->planned_body);
    if (planned.ok()) {
      guard = step_->guard.get();
      return planned;
    }
    // Nothing has run yet: the plain body can still do this step.
    failure_ = step_->guard->NotBuilt(planned.status());
  }
  if (step_->strict) return failure_;
  return plain_.Build(runtime, *step_->library, step_->plain_body);
}

absl::Status RunnableStep::Conclude(OpKernelContext& context, StepGuard* guard, const Frame& frame,
                                    const absl::Status& status) {
  if (guard == nullptr) return status;
  const int64_t step_id = context.step_id();
  absl::Status all = status.ok() ? guard->End(step_id, frame.delivered()) : guard->Abandon(step_id, status);
  if (all == status) return all;
  // The plan's fault.
  absl::MutexLock lock(&mutex_);
  if (failure_.ok()) failure_ = all;
  return all;
}

}  // namespace str::kernels
