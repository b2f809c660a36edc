// File: limited_device.h
//
// STR's CPU device: TensorFlow's own, on DeviceMemory, with every op reported to the observer of its graph.
//
// RegisterLimitedDevice replaces the built-in factory for "CPU". It is called only when a capture, a limit or a
// strategy asks for it: otherwise TensorFlow keeps its own device and pays nothing.
#ifndef STR_TF_PLUGIN_DEVICE_LIMITED_DEVICE_H_
#define STR_TF_PLUGIN_DEVICE_LIMITED_DEVICE_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "tensorflow/core/common_runtime/device.h"
#include "tensorflow/core/public/session_options.h"
#include "tf_plugin/device/device_memory.h"

namespace str::device {

// Makes the CPU device of this full name; null leaves it to STR's own.
using CpuDeviceMaker = std::function<std::unique_ptr<tensorflow::Device>(const tensorflow::SessionOptions& options,
                                                                         const std::string& name)>;

// `instead` is asked first, each time that TensorFlow creates its devices. REQUIRES: called before it does.
void RegisterLimitedDevice(int64_t limit_bytes, CpuDeviceMaker instead = nullptr);

// One for the process, as TensorFlow creates the CPU device several times; null before RegisterLimitedDevice.
DeviceMemory* SharedDeviceMemory();

}  // namespace str::device

#endif  // STR_TF_PLUGIN_DEVICE_LIMITED_DEVICE_H_
