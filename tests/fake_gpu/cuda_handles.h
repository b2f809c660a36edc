// CUDA's handles and error codes over the driver's types.
#ifndef STR_TESTS_FAKE_GPU_CUDA_HANDLES_H_
#define STR_TESTS_FAKE_GPU_CUDA_HANDLES_H_

#include <cuda.h>

#include <memory>

#include "tests/fake_gpu/driver.h"

// CUDA's functions are all that leaves the library, with those of fake_gpu.h.
#define FAKE_GPU_EXPORT extern "C" __attribute__((visibility("default")))

namespace str::fake_gpu {

inline CUresult ToCuda(Result result) {
  switch (result) {
    case Result::kOk:
      return CUDA_SUCCESS;
    case Result::kInvalidValue:
      return CUDA_ERROR_INVALID_VALUE;
    case Result::kOutOfMemory:
      return CUDA_ERROR_OUT_OF_MEMORY;
    case Result::kNotReady:
      return CUDA_ERROR_NOT_READY;
    case Result::kNotFound:
      return CUDA_ERROR_NOT_FOUND;
  }
  return CUDA_ERROR_UNKNOWN;
}

// The device whose context is current in this thread, as in CUDA; 0 if there is none.
int CurrentDevice();

CUcontext ContextOf(int device);

// Null and CUDA's two special values are the current device's default stream.
inline Stream* ToStream(CUstream handle) {
  const bool special = handle == nullptr || handle == CU_STREAM_LEGACY || handle == CU_STREAM_PER_THREAD;
  return special ? Driver::Get().DefaultStream(CurrentDevice()) : reinterpret_cast<Stream*>(handle);
}

// An event's handle owns a reference, so that streams can wait for one that was destroyed.
inline std::shared_ptr<Event>& ToEvent(CUevent handle) { return *reinterpret_cast<std::shared_ptr<Event>*>(handle); }

}  // namespace str::fake_gpu

#endif  // STR_TESTS_FAKE_GPU_CUDA_HANDLES_H_
