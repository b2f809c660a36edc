// File: runnable_step.h
//
// A planned step with what TensorFlow built of it: the planned and the plain body, each built when it is first run.
#ifndef STR_TF_PLUGIN_KERNELS_RUNNABLE_STEP_H_
#define STR_TF_PLUGIN_KERNELS_RUNNABLE_STEP_H_

#include <memory>
#include <string>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "tensorflow/core/framework/function.h"
#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/platform/refcount.h"
#include "tf_plugin/kernels/planned_step.h"

namespace str::kernels {

// One body, built at first use. Let go of when the step is. Not thread-safe.
class StepBody {
 public:
  StepBody() = default;
  StepBody(const StepBody&) = delete;
  StepBody& operator=(const StepBody&) = delete;
  ~StepBody();

  using Handle = tensorflow::FunctionLibraryRuntime::Handle;
  absl::StatusOr<Handle> Build(tensorflow::FunctionLibraryRuntime* runtime,
                               const tensorflow::FunctionLibraryDefinition& library, const std::string& name);

 private:
  bool built_ = false;
  Handle handle_ = tensorflow::kInvalidHandle;
  tensorflow::core::WeakPtr<tensorflow::FunctionLibraryRuntime> runtime_;
};

// For a body that is run by the op of `context`, as a part of the same step.
tensorflow::FunctionLibraryRuntime::Options BodyOptions(tensorflow::OpKernelContext& context);

// Thread-safe.
class RunnableStep : public std::enable_shared_from_this<RunnableStep> {
 public:
  explicit RunnableStep(std::shared_ptr<const PlannedStep> step) : step_(std::move(step)) {}

  // Runs one of the bodies with the inputs of `context`, and sets its outputs or its status. Calls `done` at the end.
  void Run(tensorflow::OpKernelContext* context, tensorflow::AsyncOpKernel::DoneCallback done);

 private:
  class Frame;
  // The body to run now; `guard` stays null if it is the plain one.
  absl::StatusOr<StepBody::Handle> Choose(tensorflow::FunctionLibraryRuntime* runtime, StepGuard*& guard);
  // `status` is what the run came to.
  absl::Status Conclude(tensorflow::OpKernelContext& context, StepGuard* guard, const Frame& frame,
                        const absl::Status& status);

  const std::shared_ptr<const PlannedStep> step_;
  absl::Mutex mutex_;
  StepBody planned_ ABSL_GUARDED_BY(mutex_);
  StepBody plain_ ABSL_GUARDED_BY(mutex_);
  // Why the plan is not run any more.
  absl::Status failure_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace str::kernels

#endif  // STR_TF_PLUGIN_KERNELS_RUNNABLE_STEP_H_
