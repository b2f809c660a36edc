// The functions of the emulated GPU (../fake_gpu.h), found at run time: in a process without it, nothing is.
#ifndef STR_TESTS_FAKE_GPU_HOST_KERNELS_EMULATED_DRIVER_H_
#define STR_TESTS_FAKE_GPU_HOST_KERNELS_EMULATED_DRIVER_H_

#include <cstdint>

#include "tests/fake_gpu/fake_gpu.h"

namespace str::fake_gpu {

struct EmulatedDriver {
  void* (*alias)(uint64_t address) = nullptr;
  void (*launch)(void* stream, const FakeGpuKernel* kernel) = nullptr;
  void (*kernel_failed)(const char* text) = nullptr;
};

// Null if libcuda.so.1 is missing or a real one.
const EmulatedDriver* FindEmulatedDriver();

}  // namespace str::fake_gpu

#endif  // STR_TESTS_FAKE_GPU_HOST_KERNELS_EMULATED_DRIVER_H_
