// The payload for a TensorFlow without GPU devices.
#include "tf_plugin/device/limited_device.h"
#include "tf_plugin/plugin.h"
#include "tf_plugin/settings.h"

namespace str {
namespace {

bool Register() {
  if (!RegisterPasses()) return false;
  device::RegisterLimitedDevice(GetSettings().memory_limit_bytes.value_or(device::kNoLimit));
  return true;
}

[[maybe_unused]] const bool registered = Register();

}  // namespace
}  // namespace str
