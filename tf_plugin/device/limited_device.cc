#include "tf_plugin/device/limited_device.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "tensorflow/core/common_runtime/threadpool_device.h"
#include "tensorflow/core/framework/device_factory.h"
#include "tensorflow/core/public/session_options.h"
#include "tf_plugin/device/current_op.h"
#include "tf_plugin/device/marked_graph.h"

namespace str::device {
namespace {

using tensorflow::AsyncOpKernel;
using tensorflow::Device;
using tensorflow::OpKernel;
using tensorflow::OpKernelContext;
using tensorflow::SessionOptions;

// Above TensorFlow's own CPU factories (60 and 70).
constexpr int kPriority = 71;

DeviceMemory* shared_memory = nullptr;

class LimitedDevice : public tensorflow::ThreadPoolDevice {
 public:
  LimitedDevice(const SessionOptions& options, const std::string& name, DeviceMemory* memory)
      : ThreadPoolDevice(options, name, tensorflow::Bytes(256 << 20), tensorflow::DeviceLocality(), memory),
        memory_(memory) {}

  void Compute(OpKernel* kernel, OpKernelContext* context) override {
    const Mark mark = FindMark(kernel->def());
    if (FailedBefore(mark, context)) return;
    OpRecord op;
    const absl::MutexLockMaybe alone(mark.observer != nullptr ? mark.observer->OneAtATime() : nullptr);
    Start(mark, *context, op);
    const int64_t start_ns = absl::GetCurrentTimeNanos();
    {
      OpScope scope(&op);
      ThreadPoolDevice::Compute(kernel, context);
    }
    Finish(mark, *kernel, *context, op, absl::GetCurrentTimeNanos() - start_ns);
  }

  void ComputeAsync(AsyncOpKernel* kernel, OpKernelContext* context, AsyncOpKernel::DoneCallback done) override {
    const Mark mark = FindMark(kernel->def());
    if (FailedBefore(mark, context)) {
      done();
      return;
    }
    // The op may complete, on another thread, before this call returns.
    auto op = std::make_shared<OpRecord>();
    Start(mark, *context, *op);
    const int64_t start_ns = absl::GetCurrentTimeNanos();
    // No OpScope: the op may allocate on several threads at once, so what it allocates belongs to no op.
    ThreadPoolDevice::ComputeAsync(kernel, context,
                                   [this, op, mark, kernel, context, start_ns, done = std::move(done)] {
                                     Finish(mark, *kernel, *context, *op, absl::GetCurrentTimeNanos() - start_ns);
                                     done();
                                   });
  }

 private:
  // An allocation outside of any op went over the limit: the next op has to say so.
  bool FailedBefore(const Mark& mark, OpKernelContext* context) {
    std::string reason = memory_->TakePendingOutOfMemory();
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
    if (mark.observer != nullptr) mark.observer->Finished(mark.index, context, op, elapsed_ns);
    if (!op.out_of_memory.empty()) {
      context.SetStatus(absl::ResourceExhaustedError(absl::StrCat(kernel.name(), ": ", op.out_of_memory)));
    }
  }

  DeviceMemory* const memory_;
};

class LimitedDeviceFactory : public tensorflow::DeviceFactory {
 public:
  absl::Status ListPhysicalDevices(std::vector<std::string>* devices) override {
    devices->push_back("/physical_device:CPU:0");
    return absl::OkStatus();
  }

  absl::Status CreateDevices(const SessionOptions& options, const std::string& name_prefix,
                             std::vector<std::unique_ptr<Device>>* devices) override {
    const auto count = options.config.device_count().find("CPU");
    const int devices_wanted = count == options.config.device_count().end() ? 1 : count->second;
    for (int i = 0; i < devices_wanted; ++i) {
      devices->push_back(
          std::make_unique<LimitedDevice>(options, absl::StrCat(name_prefix, "/device:CPU:", i), shared_memory));
    }
    return absl::OkStatus();
  }
};

}  // namespace

void RegisterLimitedDevice(int64_t limit_bytes) {
  // Never destroyed: tensors may outlive every device.
  shared_memory = new DeviceMemory(limit_bytes);
  tensorflow::DeviceFactory::Register("CPU", std::make_unique<LimitedDeviceFactory>(), kPriority,
                                      /*is_pluggable_device=*/false);
}

DeviceMemory* SharedDeviceMemory() { return shared_memory; }

}  // namespace str::device
