// File: device_memories.h
//
// The memory of each device of the process, by the device's short name, such as "GPU:0". TensorFlow creates a device
// several times; its memory is the same each time and is never destroyed, as tensors may outlive every device.
// Thread-safe.
#ifndef STR_TF_PLUGIN_DEVICE_DEVICE_MEMORIES_H_
#define STR_TF_PLUGIN_DEVICE_DEVICE_MEMORIES_H_

#include <string>

#include "absl/strings/string_view.h"
#include "tf_plugin/device/device_memory.h"

namespace str::device {

// "/job:localhost/replica:0/task:0/device:GPU:0" -> "GPU:0". Other text is returned as it is.
std::string ShortDeviceName(const std::string& device);

void SetDeviceMemory(absl::string_view short_name, DeviceMemory* memory);
// Null if the device is not STR's own, so that its memory is not counted.
DeviceMemory* FindDeviceMemory(absl::string_view short_name);
// Why nothing on the device can be captured or planned: TensorFlow's own devices report no op to STR. Empty if it can.
// TensorFlow has created its devices before it makes graphs for them.
std::string WhyNotObserved(absl::string_view short_name);

}  // namespace str::device

#endif  // STR_TF_PLUGIN_DEVICE_DEVICE_MEMORIES_H_
