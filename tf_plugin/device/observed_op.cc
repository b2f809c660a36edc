#include "tf_plugin/device/observed_op.h"

#include <memory>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "tf_plugin/messages.h"

namespace str::device {
namespace {

using tensorflow::AsyncOpKernel;
using tensorflow::OpKernel;
using tensorflow::OpKernelContext;

// An allocation outside of any op went over the limit: the next op has to say so.
bool FailedBefore(DeviceMemory& memory, const Mark& mark, OpKernelContext* context) {
  std::string reason = memory.TakePendingOutOfMemory();
  if (reason.empty()) return false;
  context->SetStatus(absl::ResourceExhaustedError(std::move(reason)));
  if (mark.observer != nullptr) mark.observer->StepFailed();
  return true;
}

void Start(const Mark& mark, OpKernelContext& context, OpRecord& op) {
  if (mark.observer != nullptr) mark.observer->Starting(mark.index, context, op);
}

void Finish(const Mark& mark, const OpKernel& kernel, OpKernelContext& context, const OpRecord& op,
            int64_t elapsed_ns) {
  if (mark.observer != nullptr) {
    mark.observer->Finished(mark.index, context, op, op.device_ns.value_or(elapsed_ns));
  }
  if (!op.out_of_memory.empty()) {
    context.SetStatus(absl::ResourceExhaustedError(absl::StrCat(kernel.name(), ": ", op.out_of_memory)));
  } else if (!op.refused.empty() && absl::IsResourceExhausted(context.status())) {
    // The kernel's status stands: one that is set cannot be changed.
    Say("STR-3014", absl::StrCat(kernel.name(), ": ", op.refused));
  }
}

}  // namespace

void RunObserved(DeviceMemory& memory, OpKernel* kernel, OpKernelContext* context,
                 absl::FunctionRef<void(const Mark&, OpRecord&)> run) {
  const Mark mark = FindMark(kernel->def());
  if (FailedBefore(memory, mark, context)) return;
  OpRecord op;
  const absl::MutexLockMaybe alone(mark.observer != nullptr ? mark.observer->OneAtATime() : nullptr);
  Start(mark, *context, op);
  const int64_t start_ns = absl::GetCurrentTimeNanos();
  {
    OpScope scope(&op);
    run(mark, op);
  }
  Finish(mark, *kernel, *context, op, absl::GetCurrentTimeNanos() - start_ns);
}

void RunObservedAsync(DeviceMemory& memory, AsyncOpKernel* kernel, OpKernelContext* context,
                      AsyncOpKernel::DoneCallback done, absl::FunctionRef<void(AsyncOpKernel::DoneCallback)> run) {
  const Mark mark = FindMark(kernel->def());
  if (FailedBefore(memory, mark, context)) {
    done();
    return;
  }
  // The op may complete, on another thread, before this call returns.
  auto op = std::make_shared<OpRecord>();
  Start(mark, *context, *op);
  const int64_t start_ns = absl::GetCurrentTimeNanos();
  run([op, mark, kernel, context, start_ns, done = std::move(done)] {
    Finish(mark, *kernel, *context, *op, absl::GetCurrentTimeNanos() - start_ns);
    done();
  });
}

}  // namespace str::device
