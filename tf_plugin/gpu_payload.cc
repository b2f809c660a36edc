// The payload for a TensorFlow with GPU devices. Whether there is a GPU is known only when TensorFlow creates its
// devices: without one, the CPU device is the one of cpu_payload.cc.
#include "tf_plugin/device/limited_device.h"
#include "tf_plugin/gpu/compatible_cpu_device.h"
#include "tf_plugin/gpu/gpu_device.h"
#include "tf_plugin/plugin.h"
#include "tf_plugin/settings.h"

namespace str {
namespace {

bool Register() {
  if (!RegisterPasses()) return false;
  const int64_t limit_bytes = GetSettings().memory_limit_bytes.value_or(device::kNoLimit);
  device::RegisterLimitedDevice(limit_bytes, gpu::MakeCompatibleCpuDevice);
  gpu::RegisterGpuDevice(limit_bytes);
  return true;
}

[[maybe_unused]] const bool registered = Register();

}  // namespace
}  // namespace str
