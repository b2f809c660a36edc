#define GOOGLE_CUDA 1  // asked for by TensorFlow's header, see gpu_device.cc

#include "tf_plugin/gpu/compatible_cpu_device.h"

#include <vector>

#include "tensorflow/core/common_runtime/gpu/gpu_process_state.h"
#include "tensorflow/core/common_runtime/process_state.h"
#include "tensorflow/core/common_runtime/threadpool_device.h"
#include "tensorflow/core/framework/device_factory.h"

namespace str::gpu {
namespace {

using tensorflow::SessionOptions;

bool HasGpu(const SessionOptions& options) {
  const auto count = options.config.device_count().find("GPU");
  if (count != options.config.device_count().end() && count->second == 0) return false;
  tensorflow::DeviceFactory* const factory = tensorflow::DeviceFactory::GetFactory("GPU");
  std::vector<std::string> devices;
  return factory != nullptr && factory->ListPhysicalDevices(&devices).ok() && !devices.empty();
}

class CompatibleCpuDevice : public tensorflow::ThreadPoolDevice {
 public:
  CompatibleCpuDevice(const SessionOptions& options, const std::string& name)
      : ThreadPoolDevice(options, name, tensorflow::Bytes(256 << 20), tensorflow::DeviceLocality(),
                         tensorflow::ProcessState::singleton()->GetCPUAllocator(tensorflow::port::kNUMANoAffinity)),
        force_gpu_compatible_(options.config.gpu_options().force_gpu_compatible()) {}

  tensorflow::Allocator* GetAllocator(tensorflow::AllocatorAttributes attributes) override {
    if (!attributes.gpu_compatible() && !force_gpu_compatible_) return ThreadPoolDevice::GetAllocator(attributes);
    return tensorflow::GPUProcessState::singleton()->GetGpuHostAllocator(/*options=*/{}, /*numa_node=*/0);
  }

 private:
  const bool force_gpu_compatible_;
};

}  // namespace

std::unique_ptr<tensorflow::Device> MakeCompatibleCpuDevice(const SessionOptions& options, const std::string& name) {
  if (!HasGpu(options)) return nullptr;
  return std::make_unique<CompatibleCpuDevice>(options, name);
}

}  // namespace str::gpu
