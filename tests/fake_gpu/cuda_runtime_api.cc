// The functions of CUDA's runtime that TensorFlow asks for, over those of the driver. CUDA's own runtime cannot be
// used: it needs tables of the real driver that are not public.
#include <cuda.h>
#include <cuda_runtime_api.h>

#include <cstdio>
#include <cstring>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "tests/fake_gpu/cuda_handles.h"

// The header maps this name to the one with the version, which is what programs import.
#undef cudaGetDeviceProperties

using str::fake_gpu::CurrentDevice;
using str::fake_gpu::Driver;
using str::fake_gpu::ToStream;

namespace {

thread_local cudaError_t last_error = cudaSuccess;

// The codes of both interfaces have the same numbers, as far as the emulation uses them.
cudaError_t ToRuntime(CUresult result) {
  const cudaError_t error = static_cast<cudaError_t>(result);
  if (error != cudaSuccess && error != cudaErrorNotReady) last_error = error;
  return error;
}

// Kernels by the address of their host function.
class Kernels {
 public:
  void Add(const void* host, const char* name) {
    std::lock_guard<std::mutex> lock(mutex_);
    names_[host] = name;
  }
  const char* Name(const void* host) {
    std::lock_guard<std::mutex> lock(mutex_);
    const auto found = names_.find(host);
    return found == names_.end() ? "a kernel that was not registered" : found->second;
  }

 private:
  std::mutex mutex_;
  std::unordered_map<const void*, const char*> names_;
};

Kernels& AllKernels() {
  static auto* const kernels = new Kernels;
  return *kernels;
}

struct LaunchConfiguration {
  dim3 grid, block;
  size_t shared_bytes = 0;
  void* stream = nullptr;
};
thread_local std::vector<LaunchConfiguration> configurations;

}  // namespace

// Compiled CUDA code calls these by itself.

FAKE_GPU_EXPORT void** __cudaRegisterFatBinary(void*) {
  static void* handle = nullptr;
  return &handle;
}

FAKE_GPU_EXPORT void __cudaRegisterFatBinaryEnd(void**) {}

FAKE_GPU_EXPORT void __cudaUnregisterFatBinary(void**) {}

FAKE_GPU_EXPORT void __cudaRegisterVar(void**, char*, char*, const char*, int, size_t, int, int) {}

FAKE_GPU_EXPORT void __cudaRegisterFunction(void**, const char* host, char*, const char* name, int, void*, void*, void*,
                                            void*, int*) {
  AllKernels().Add(host, name);
}

FAKE_GPU_EXPORT unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared_bytes, void* stream) {
  configurations.push_back({grid, block, shared_bytes, stream});
  return 0;
}

FAKE_GPU_EXPORT cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, size_t* shared_bytes, void* stream) {
  if (configurations.empty()) return cudaErrorMissingConfiguration;
  const LaunchConfiguration configuration = configurations.back();
  configurations.pop_back();
  *grid = configuration.grid;
  *block = configuration.block;
  *shared_bytes = configuration.shared_bytes;
  *static_cast<void**>(stream) = configuration.stream;
  return cudaSuccess;
}

FAKE_GPU_EXPORT cudaError_t cudaLaunchKernel(const void* host, dim3, dim3, void**, size_t, cudaStream_t stream) {
  Driver::Get().KernelNotRun(ToStream(stream), AllKernels().Name(host));
  return cudaSuccess;
}

FAKE_GPU_EXPORT cudaError_t cudaGetFuncBySymbol(cudaFunction_t* function, const void* host) {
  return ToRuntime(cuModuleGetFunction(function, nullptr, AllKernels().Name(host)));
}

// Errors and versions.

FAKE_GPU_EXPORT cudaError_t cudaGetLastError() {
  const cudaError_t error = last_error;
  last_error = cudaSuccess;
  return error;
}

FAKE_GPU_EXPORT cudaError_t cudaPeekAtLastError() { return last_error; }

FAKE_GPU_EXPORT const char* cudaGetErrorName(cudaError_t error) {
  const char* name = nullptr;
  cuGetErrorName(static_cast<CUresult>(error), &name);
  return name;
}

FAKE_GPU_EXPORT const char* cudaGetErrorString(cudaError_t error) { return cudaGetErrorName(error); }

FAKE_GPU_EXPORT cudaError_t cudaRuntimeGetVersion(int* version) {
  *version = CUDART_VERSION;
  return cudaSuccess;
}

FAKE_GPU_EXPORT cudaError_t cudaDriverGetVersion(int* version) { return ToRuntime(cuDriverGetVersion(version)); }

// Devices.

FAKE_GPU_EXPORT cudaError_t cudaGetDevice(int* device) {
  *device = CurrentDevice();
  return cudaSuccess;
}

FAKE_GPU_EXPORT cudaError_t cudaSetDevice(int device) {
  CUcontext context = nullptr;
  const CUresult result = cuDevicePrimaryCtxRetain(&context, device);
  return ToRuntime(result != CUDA_SUCCESS ? result : cuCtxSetCurrent(context));
}

FAKE_GPU_EXPORT cudaError_t cudaGetDeviceCount(int* count) { return ToRuntime(cuDeviceGetCount(count)); }

FAKE_GPU_EXPORT cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
  return ToRuntime(cuDeviceGetAttribute(value, static_cast<CUdevice_attribute>(attribute), device));
}

FAKE_GPU_EXPORT cudaError_t cudaGetDeviceProperties_v2(cudaDeviceProp* properties, int device) {
  std::memset(properties, 0, sizeof(*properties));
  const auto attribute = [device](CUdevice_attribute which) {
    int value = 0;
    cuDeviceGetAttribute(&value, which, device);
    return value;
  };
  cuDeviceGetName(properties->name, sizeof(properties->name), device);
  cuDeviceTotalMem(&properties->totalGlobalMem, device);
  properties->major = attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
  properties->minor = attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
  properties->multiProcessorCount = attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
  properties->maxThreadsPerBlock = attribute(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
  properties->maxThreadsPerMultiProcessor = attribute(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR);
  properties->maxBlocksPerMultiProcessor = attribute(CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR);
  properties->sharedMemPerBlock = attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK);
  properties->sharedMemPerBlockOptin = attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
  properties->sharedMemPerMultiprocessor = attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR);
  properties->regsPerBlock = attribute(CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK);
  properties->regsPerMultiprocessor = attribute(CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR);
  properties->warpSize = attribute(CU_DEVICE_ATTRIBUTE_WARP_SIZE);
  properties->maxThreadsDim[0] = attribute(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X);
  properties->maxThreadsDim[1] = attribute(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y);
  properties->maxThreadsDim[2] = attribute(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z);
  properties->maxGridSize[0] = attribute(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X);
  properties->maxGridSize[1] = attribute(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y);
  properties->maxGridSize[2] = attribute(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z);
  properties->l2CacheSize = attribute(CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE);
  properties->asyncEngineCount = attribute(CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT);
  properties->unifiedAddressing = 1;
  properties->concurrentKernels = 1;
  return cudaSuccess;
}

FAKE_GPU_EXPORT cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  return ToRuntime(cuCtxGetStreamPriorityRange(least, greatest));
}

FAKE_GPU_EXPORT cudaError_t cudaDeviceSynchronize() { return ToRuntime(cuCtxSynchronize()); }

// Figures of kernels that do not run.

FAKE_GPU_EXPORT cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void*) {
  std::memset(attributes, 0, sizeof(*attributes));
  attributes->maxThreadsPerBlock = 1024;
  attributes->numRegs = 32;
  return cudaSuccess;
}

FAKE_GPU_EXPORT cudaError_t cudaFuncSetAttribute(const void*, cudaFuncAttribute, int) { return cudaSuccess; }

FAKE_GPU_EXPORT cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, const void*, int,
                                                                                   size_t, unsigned) {
  *blocks = 2;
  return cudaSuccess;
}

FAKE_GPU_EXPORT cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void*, int, size_t) {
  *blocks = 2;
  return cudaSuccess;
}

// Streams and events.

FAKE_GPU_EXPORT cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
  return ToRuntime(cuStreamCreate(stream, flags));
}

FAKE_GPU_EXPORT cudaError_t cudaStreamDestroy(cudaStream_t stream) { return ToRuntime(cuStreamDestroy(stream)); }

FAKE_GPU_EXPORT cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  return ToRuntime(cuStreamSynchronize(stream));
}

FAKE_GPU_EXPORT cudaError_t cudaStreamQuery(cudaStream_t stream) { return ToRuntime(cuStreamQuery(stream)); }

FAKE_GPU_EXPORT cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags) {
  return ToRuntime(cuStreamWaitEvent(stream, event, flags));
}

FAKE_GPU_EXPORT cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void* argument) {
  return ToRuntime(cuLaunchHostFunc(stream, function, argument));
}

FAKE_GPU_EXPORT cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags) {
  return ToRuntime(cuEventCreate(event, flags));
}

FAKE_GPU_EXPORT cudaError_t cudaEventCreate(cudaEvent_t* event) { return ToRuntime(cuEventCreate(event, 0)); }

FAKE_GPU_EXPORT cudaError_t cudaEventDestroy(cudaEvent_t event) { return ToRuntime(cuEventDestroy(event)); }

FAKE_GPU_EXPORT cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  return ToRuntime(cuEventRecord(event, stream));
}

FAKE_GPU_EXPORT cudaError_t cudaEventQuery(cudaEvent_t event) { return ToRuntime(cuEventQuery(event)); }

FAKE_GPU_EXPORT cudaError_t cudaEventSynchronize(cudaEvent_t event) { return ToRuntime(cuEventSynchronize(event)); }

FAKE_GPU_EXPORT cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t from, cudaEvent_t to) {
  return ToRuntime(cuEventElapsedTime(milliseconds, from, to));
}

// Memory.

FAKE_GPU_EXPORT cudaError_t cudaMalloc(void** address, size_t bytes) {
  CUdeviceptr allocated = 0;
  const CUresult result = cuMemAlloc(&allocated, bytes);
  *address = reinterpret_cast<void*>(allocated);
  return ToRuntime(result);
}

FAKE_GPU_EXPORT cudaError_t cudaFree(void* address) {
  return address == nullptr ? cudaSuccess : ToRuntime(cuMemFree(reinterpret_cast<CUdeviceptr>(address)));
}

FAKE_GPU_EXPORT cudaError_t cudaHostAlloc(void** address, size_t bytes, unsigned flags) {
  return ToRuntime(cuMemHostAlloc(address, bytes, flags));
}

FAKE_GPU_EXPORT cudaError_t cudaMallocHost(void** address, size_t bytes) {
  return ToRuntime(cuMemHostAlloc(address, bytes, 0));
}

FAKE_GPU_EXPORT cudaError_t cudaFreeHost(void* address) { return ToRuntime(cuMemFreeHost(address)); }

FAKE_GPU_EXPORT cudaError_t cudaMemGetInfo(size_t* free_bytes, size_t* total_bytes) {
  return ToRuntime(cuMemGetInfo(free_bytes, total_bytes));
}

FAKE_GPU_EXPORT cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind,
                                            cudaStream_t stream) {
  return ToRuntime(
      cuMemcpyAsync(reinterpret_cast<CUdeviceptr>(to), reinterpret_cast<CUdeviceptr>(from), bytes, stream));
}

FAKE_GPU_EXPORT cudaError_t cudaMemsetAsync(void* to, int value, size_t bytes, cudaStream_t stream) {
  return ToRuntime(
      cuMemsetD8Async(reinterpret_cast<CUdeviceptr>(to), static_cast<unsigned char>(value), bytes, stream));
}
