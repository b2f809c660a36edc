// File: compatible_cpu_device.h
//
// The CPU device of a process with GPUs. TensorFlow's own takes pinned memory for tensors that are going to be copied
// to a GPU; STR's limited CPU device (device/limited_device.h) would take that away, and limits memory that is not the
// one that is short. This one has TensorFlow's memory, without a limit, and nothing that runs on it is planned.
#ifndef STR_TF_PLUGIN_GPU_COMPATIBLE_CPU_DEVICE_H_
#define STR_TF_PLUGIN_GPU_COMPATIBLE_CPU_DEVICE_H_

#include <memory>
#include <string>

#include "tensorflow/core/common_runtime/device.h"
#include "tensorflow/core/public/session_options.h"

namespace str::gpu {

// Null if these options allow no GPU, or the process has none.
std::unique_ptr<tensorflow::Device> MakeCompatibleCpuDevice(const tensorflow::SessionOptions& options,
                                                            const std::string& name);

}  // namespace str::gpu

#endif  // STR_TF_PLUGIN_GPU_COMPATIBLE_CPU_DEVICE_H_
