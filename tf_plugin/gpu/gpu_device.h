// File: gpu_device.h
//
// STR's GPU device: TensorFlow's own, on GpuMemory, with every op reported to the observer of its graph.
#ifndef STR_TF_PLUGIN_GPU_GPU_DEVICE_H_
#define STR_TF_PLUGIN_GPU_GPU_DEVICE_H_

#include <cstdint>

namespace str::gpu {

// Replaces the built-in factory for "GPU". Every GPU has the limit by itself. REQUIRES: called before TensorFlow
// creates its devices.
void RegisterGpuDevice(int64_t limit_bytes);

}  // namespace str::gpu

#endif  // STR_TF_PLUGIN_GPU_GPU_DEVICE_H_
