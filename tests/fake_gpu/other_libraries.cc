// The little that TensorFlow asks of CUDA's other libraries while it makes a device.
#include <cstddef>

#define FAKE_GPU_EXPORT extern "C" __attribute__((visibility("default")))

// cuDNN: the version against which TensorFlow 2.21 was built.
FAKE_GPU_EXPORT int cudnnGetProperty(int property, int* value) {
  constexpr int kVersion[] = {9, 3, 0};
  *value = property >= 0 && property < 3 ? kVersion[property] : 0;
  return 0;
}

FAKE_GPU_EXPORT size_t cudnnGetVersion() { return 90300; }

// NVML must be there; it may know no device.
FAKE_GPU_EXPORT int nvmlInit_v2() { return 0; }

FAKE_GPU_EXPORT int nvmlShutdown() { return 0; }

FAKE_GPU_EXPORT const char* nvmlErrorString(int) { return "no NVML on the emulated GPU"; }

FAKE_GPU_EXPORT int nvmlDeviceGetHandleByPciBusId_v2(const char*, void*) {
  constexpr int kNotFound = 6;
  return kNotFound;
}

FAKE_GPU_EXPORT const char* cublasGetStatusString(int) { return "no cuBLAS on the emulated GPU"; }

FAKE_GPU_EXPORT const char* cublasGetStatusName(int) { return "no cuBLAS on the emulated GPU"; }
