// File: limited_device.h
//
// STR's CPU device: TensorFlow's own, on DeviceMemory, with every op reported to the observer of its graph.
//
// RegisterLimitedDevice replaces the built-in factory for "CPU". It is called only when a capture, a limit or a
// strategy asks for it: otherwise TensorFlow keeps its own device and pays nothing.
#ifndef STR_TF_PLUGIN_DEVICE_LIMITED_DEVICE_H_
#define STR_TF_PLUGIN_DEVICE_LIMITED_DEVICE_H_

#include <cstdint>

#include "tf_plugin/device/device_memory.h"

namespace str::device {

// REQUIRES: called before TensorFlow creates its devices.
void RegisterLimitedDevice(int64_t limit_bytes);

// One for the process, as TensorFlow creates the CPU device several times; null before RegisterLimitedDevice.
DeviceMemory* SharedDeviceMemory();

}  // namespace str::device

#endif  // STR_TF_PLUGIN_DEVICE_LIMITED_DEVICE_H_
