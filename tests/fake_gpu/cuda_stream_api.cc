// CUDA's driver functions for streams, events, modules and launches.
#include <cuda.h>

#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "tests/fake_gpu/cuda_handles.h"

using str::fake_gpu::ContextOf;
using str::fake_gpu::CurrentDevice;
using str::fake_gpu::Driver;
using str::fake_gpu::Event;
using str::fake_gpu::ToCuda;
using str::fake_gpu::ToEvent;
using str::fake_gpu::ToStream;

// Streams.

FAKE_GPU_EXPORT CUresult cuStreamCreate(CUstream* stream, unsigned) {
  *stream = reinterpret_cast<CUstream>(Driver::Get().CreateStream(CurrentDevice()));
  return CUDA_SUCCESS;
}

FAKE_GPU_EXPORT CUresult cuStreamCreateWithPriority(CUstream* stream, unsigned flags, int) {
  return cuStreamCreate(stream, flags);
}

FAKE_GPU_EXPORT CUresult cuStreamDestroy(CUstream stream) {
  Driver::Get().DestroyStream(ToStream(stream));
  return CUDA_SUCCESS;
}

FAKE_GPU_EXPORT CUresult cuStreamGetPriority(CUstream, int* priority) {
  *priority = 0;
  return CUDA_SUCCESS;
}

FAKE_GPU_EXPORT CUresult cuStreamGetCtx(CUstream stream, CUcontext* context) {
  *context = ContextOf(ToStream(stream)->device);
  return CUDA_SUCCESS;
}

FAKE_GPU_EXPORT CUresult cuStreamIsCapturing(CUstream, CUstreamCaptureStatus* status) {
  *status = CU_STREAM_CAPTURE_STATUS_NONE;
  return CUDA_SUCCESS;
}

FAKE_GPU_EXPORT CUresult cuStreamSynchronize(CUstream stream) {
  Driver::Get().Synchronize(ToStream(stream));
  return CUDA_SUCCESS;
}

FAKE_GPU_EXPORT CUresult cuStreamQuery(CUstream stream) { return ToCuda(Driver::Get().Query(ToStream(stream))); }

FAKE_GPU_EXPORT CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned) {
  Driver::Get().WaitFor(ToStream(stream), ToEvent(event));
  return CUDA_SUCCESS;
}

FAKE_GPU_EXPORT CUresult cuLaunchHostFunc(CUstream stream, CUhostFn function, void* argument) {
  Driver::Get().HostFunction(ToStream(stream), [function, argument] { function(argument); });
  return CUDA_SUCCESS;
}

FAKE_GPU_EXPORT CUresult cuStreamAddCallback(CUstream stream, CUstreamCallback function, void* argument, unsigned) {
  Driver::Get().HostFunction(ToStream(stream),
                             [stream, function, argument] { function(stream, CUDA_SUCCESS, argument); });
  return CUDA_SUCCESS;
}

// Events.

FAKE_GPU_EXPORT CUresult cuEventCreate(CUevent* event, unsigned) {
  *event = reinterpret_cast<CUevent>(new std::shared_ptr<Event>(std::make_shared<Event>()));
  return CUDA_SUCCESS;
}

FAKE_GPU_EXPORT CUresult cuEventDestroy(CUevent event) {
  delete &ToEvent(event);
  return CUDA_SUCCESS;
}

FAKE_GPU_EXPORT CUresult cuEventRecord(CUevent event, CUstream stream) {
  Driver::Get().Record(ToEvent(event), ToStream(stream));
  return CUDA_SUCCESS;
}

FAKE_GPU_EXPORT CUresult cuEventQuery(CUevent event) { return ToCuda(Driver::Get().Query(*ToEvent(event))); }

FAKE_GPU_EXPORT CUresult cuEventSynchronize(CUevent event) {
  Driver::Get().Synchronize(*ToEvent(event));
  return CUDA_SUCCESS;
}

FAKE_GPU_EXPORT CUresult cuEventElapsedTime(float* milliseconds, CUevent from, CUevent to) {
  double elapsed = 0;
  const CUresult result = ToCuda(Driver::Get().Elapsed(*ToEvent(from), *ToEvent(to), &elapsed));
  *milliseconds = static_cast<float>(elapsed);
  return result;
}

// Modules: a function is its name. Functions live as long as the process, as TensorFlow keeps their handles.

namespace {

CUfunction FunctionNamed(const std::string& name) {
  static auto* const mutex = new std::mutex;
  static auto* const functions = new std::map<std::string, std::unique_ptr<std::string>>;
  std::lock_guard<std::mutex> lock(*mutex);
  std::unique_ptr<std::string>& function = (*functions)[name];
  if (function == nullptr) function = std::make_unique<std::string>(name);
  return reinterpret_cast<CUfunction>(function.get());
}

CUresult NotRun(CUfunction function, CUstream stream) {
  Driver::Get().KernelNotRun(ToStream(stream), *reinterpret_cast<std::string*>(function));
  return CUDA_SUCCESS;
}

}  // namespace

FAKE_GPU_EXPORT CUresult cuModuleLoadData(CUmodule* module, const void*) {
  static int only;
  *module = reinterpret_cast<CUmodule>(&only);
  return CUDA_SUCCESS;
}

FAKE_GPU_EXPORT CUresult cuModuleLoadDataEx(CUmodule* module, const void* image, unsigned, CUjit_option*, void**) {
  return cuModuleLoadData(module, image);
}

FAKE_GPU_EXPORT CUresult cuModuleLoadFatBinary(CUmodule* module, const void* image) {
  return cuModuleLoadData(module, image);
}

FAKE_GPU_EXPORT CUresult cuModuleUnload(CUmodule) { return CUDA_SUCCESS; }

FAKE_GPU_EXPORT CUresult cuModuleGetFunction(CUfunction* function, CUmodule, const char* name) {
  *function = FunctionNamed(name);
  return CUDA_SUCCESS;
}

// Registers, threads, shared memory: any figure that is not zero will do for a kernel that does not run.
FAKE_GPU_EXPORT CUresult cuFuncGetAttribute(int* value, CUfunction_attribute, CUfunction) {
  *value = 32;
  return CUDA_SUCCESS;
}

FAKE_GPU_EXPORT CUresult cuFuncSetAttribute(CUfunction, CUfunction_attribute, int) { return CUDA_SUCCESS; }

FAKE_GPU_EXPORT CUresult cuFuncSetCacheConfig(CUfunction, CUfunc_cache) { return CUDA_SUCCESS; }

FAKE_GPU_EXPORT CUresult cuLaunchKernel(CUfunction function, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                                        unsigned, CUstream stream, void**, void**) {
  return NotRun(function, stream);
}

FAKE_GPU_EXPORT CUresult cuLaunchKernelEx(const CUlaunchConfig* config, CUfunction function, void**, void**) {
  return NotRun(function, config->hStream);
}
