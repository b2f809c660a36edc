#include "tf_plugin/device/limited_device.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "tensorflow/core/common_runtime/threadpool_device.h"
#include "tensorflow/core/framework/device_factory.h"
#include "tensorflow/core/public/session_options.h"
#include "tf_plugin/device/device_memories.h"
#include "tf_plugin/device/observed_op.h"

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
    RunObserved(*memory_, kernel, context, [&](const Mark&, OpRecord&) { ThreadPoolDevice::Compute(kernel, context); });
  }

  void ComputeAsync(AsyncOpKernel* kernel, OpKernelContext* context, AsyncOpKernel::DoneCallback done) override {
    RunObservedAsync(*memory_, kernel, context, std::move(done), [&](AsyncOpKernel::DoneCallback finish) {
      ThreadPoolDevice::ComputeAsync(kernel, context, std::move(finish));
    });
  }

 private:
  DeviceMemory* const memory_;
};

class LimitedDeviceFactory : public tensorflow::DeviceFactory {
 public:
  explicit LimitedDeviceFactory(CpuDeviceMaker instead) : instead_(std::move(instead)) {}

  absl::Status ListPhysicalDevices(std::vector<std::string>* devices) override {
    devices->push_back("/physical_device:CPU:0");
    return absl::OkStatus();
  }

  absl::Status CreateDevices(const SessionOptions& options, const std::string& name_prefix,
                             std::vector<std::unique_ptr<Device>>* devices) override {
    const auto count = options.config.device_count().find("CPU");
    const int devices_wanted = count == options.config.device_count().end() ? 1 : count->second;
    for (int i = 0; i < devices_wanted; ++i) {
      const std::string name = absl::StrCat(name_prefix, "/device:CPU:", i);
      std::unique_ptr<Device> device = instead_ != nullptr ? instead_(options, name) : nullptr;
      if (device == nullptr) {
        SetDeviceMemory(absl::StrCat("CPU:", i), shared_memory);
        device = std::make_unique<LimitedDevice>(options, name, shared_memory);
      }
      devices->push_back(std::move(device));
    }
    return absl::OkStatus();
  }

 private:
  const CpuDeviceMaker instead_;
};

}  // namespace

void RegisterLimitedDevice(int64_t limit_bytes, CpuDeviceMaker instead) {
  // Never destroyed: tensors may outlive every device.
  shared_memory = new DeviceMemory(limit_bytes);
  if (instead == nullptr) SetDeviceMemory("CPU:0", shared_memory);
  tensorflow::DeviceFactory::Register("CPU", std::make_unique<LimitedDeviceFactory>(std::move(instead)), kPriority,
                                      /*is_pluggable_device=*/false);
}

DeviceMemory* SharedDeviceMemory() { return shared_memory; }

}  // namespace str::device
