// TensorFlow's header of its GPU device asks for this. It changes no class that is used here: the header is the same in
// the wheels for CPU and CUDA.
#define GOOGLE_CUDA 1

#include "tf_plugin/gpu/gpu_device.h"

#include <map>
#include <memory>
#include <string>
#include <utility>

#include "absl/base/call_once.h"
#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "tensorflow/core/common_runtime/gpu/gpu_device.h"
#include "tensorflow/core/common_runtime/gpu/gpu_process_state.h"
#include "tf_plugin/device/device_memories.h"
#include "tf_plugin/device/observed_op.h"
#include "tf_plugin/gpu/gpu_memory.h"
#include "tf_plugin/gpu/swap_lanes.h"
#include "tf_plugin/kernels/copy_rates.h"
#include "xla/stream_executor/event_based_timer.h"

namespace str::gpu {
namespace {

using tensorflow::Allocator;
using tensorflow::AsyncOpKernel;
using tensorflow::OpKernel;
using tensorflow::OpKernelContext;
using tensorflow::SessionOptions;

// Above TensorFlow's own GPU factory (210).
constexpr int kPriority = 211;

class GpuDevice : public tensorflow::BaseGPUDevice {
 public:
  GpuDevice(const SessionOptions& options, const std::string& name, tensorflow::Bytes memory_limit,
            const tensorflow::DeviceLocality& locality, tsl::TfDeviceId id, const std::string& description,
            GpuMemory* memory, Allocator* cpu_allocator)
      : BaseGPUDevice(options, name, memory_limit, locality, id, description, memory, cpu_allocator,
                      /*sync_every_op=*/false),
        memory_(memory),
        force_gpu_compatible_(options.config.gpu_options().force_gpu_compatible()) {}

  // As TensorFlow's own: pinned host memory where a tensor is going to be copied.
  Allocator* GetAllocator(tensorflow::AllocatorAttributes attributes) override {
    if (!attributes.on_host()) return gpu_allocator_;
    if (!attributes.gpu_compatible() && !force_gpu_compatible_) return cpu_allocator_;
    return tensorflow::GPUProcessState::singleton()->GetGpuHostAllocator(/*options=*/{}, /*numa_node=*/0);
  }

  void Compute(OpKernel* kernel, OpKernelContext* context) override {
    device::RunObserved(*memory_, kernel, context, [&](const device::Mark& mark, device::OpRecord& op) {
      const bool timed = mark.observer != nullptr && mark.observer->WantsTimes();
      if (!timed) {
        BaseGPUDevice::Compute(kernel, context);
        return;
      }
      ComputeTimed(kernel, context, op);
    });
  }

  void ComputeAsync(AsyncOpKernel* kernel, OpKernelContext* context, AsyncOpKernel::DoneCallback done) override {
    device::RunObservedAsync(*memory_, kernel, context, std::move(done), [&](AsyncOpKernel::DoneCallback finish) {
      BaseGPUDevice::ComputeAsync(kernel, context, std::move(finish));
    });
  }

 private:
  // The op alone on the compute stream, from an idle device until it is idle again, by events on that stream.
  void ComputeTimed(OpKernel* kernel, OpKernelContext* context, device::OpRecord& op) {
    // Whoever times ops will want to know the copies' rates too.
    absl::call_once(probe_set_, [this] {
      kernels::SetCopyProbe(
          device::ShortDeviceName(name()),
          [base = memory_->base(), compute = compute_stream()]() -> absl::StatusOr<kernels::CopyRates> {
            const absl::StatusOr<SwapLanes*> lanes = SwapLanes::Of(compute->parent());
            if (!lanes.ok()) return lanes.status();
            return (*lanes)->MeasureRates(base, compute);
          });
    });
    stream_executor::Stream* const compute = compute_stream();
    const absl::Status idle = compute->BlockHostUntilDone();
    const auto timer = compute->CreateEventBasedTimer(/*use_delay_kernel=*/false);
    BaseGPUDevice::Compute(kernel, context);
    const absl::StatusOr<absl::Duration> elapsed = Elapsed(idle, timer);
    if (elapsed.ok()) {
      op.device_ns = absl::ToInt64Nanoseconds(*elapsed);
    } else {
      op.timing_error = std::string(elapsed.status().message());
    }
  }

  // Waits for the op's end.
  static absl::StatusOr<absl::Duration> Elapsed(
      const absl::Status& idle, const absl::StatusOr<std::unique_ptr<stream_executor::EventBasedTimer>>& timer) {
    if (!idle.ok()) return idle;
    if (!timer.ok()) return timer.status();
    return (*timer)->GetElapsedDuration();
  }

  GpuMemory* const memory_;
  const bool force_gpu_compatible_;
  absl::once_flag probe_set_;
};

class GpuDeviceFactory : public tensorflow::BaseGPUDeviceFactory {
 public:
  explicit GpuDeviceFactory(int64_t limit_bytes) : limit_bytes_(limit_bytes) {}

 private:
  std::unique_ptr<tensorflow::BaseGPUDevice> CreateGPUDevice(const SessionOptions& options, const std::string& name,
                                                             tensorflow::Bytes memory_limit,
                                                             const tensorflow::DeviceLocality& locality,
                                                             tsl::TfDeviceId id, const std::string& description,
                                                             Allocator* gpu_allocator,
                                                             Allocator* cpu_allocator) override {
    GpuMemory* const memory = MemoryOver(gpu_allocator);
    device::SetDeviceMemory(device::ShortDeviceName(name), memory);
    return std::make_unique<GpuDevice>(options, name, memory_limit, locality, id, description, memory, cpu_allocator);
  }

  // One for each of TensorFlow's allocators: devices are created several times, and tensors move between them.
  GpuMemory* MemoryOver(Allocator* base) {
    absl::MutexLock lock(&mutex_);
    GpuMemory*& memory = memories_[base];
    // Never destroyed: tensors may outlive every device.
    if (memory == nullptr) memory = new GpuMemory(limit_bytes_, base);
    return memory;
  }

  const int64_t limit_bytes_;
  absl::Mutex mutex_;
  std::map<Allocator*, GpuMemory*> memories_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace

void RegisterGpuDevice(int64_t limit_bytes) {
  tensorflow::DeviceFactory::Register("GPU", std::make_unique<GpuDeviceFactory>(limit_bytes), kPriority,
                                      /*is_pluggable_device=*/false);
}

}  // namespace str::gpu
