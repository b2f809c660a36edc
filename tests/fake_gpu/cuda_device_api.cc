// CUDA's driver functions for devices and contexts. The device claims to be an RTX 3090, whose figures these are.
#include <cuda.h>

#include <atomic>
#include <cstdio>
#include <cstring>
#include <vector>

#include "tests/fake_gpu/cuda_handles.h"

namespace str::fake_gpu {
namespace {

// The primary context of each device: there are no others.
struct Context {
  int device = 0;
  std::atomic<unsigned> flags = 0;
  std::atomic<int> users = 0;
};

std::vector<Context>& Contexts() {
  static auto* const contexts = [] {
    auto* const all = new std::vector<Context>(Driver::Get().settings().devices);
    for (size_t i = 0; i < all->size(); ++i) (*all)[i].device = static_cast<int>(i);
    return all;
  }();
  return *contexts;
}

thread_local std::vector<CUcontext> current_contexts;

bool Exists(CUdevice device) { return device >= 0 && device < Driver::Get().settings().devices; }

}  // namespace

CUcontext ContextOf(int device) { return reinterpret_cast<CUcontext>(&Contexts()[device]); }

int CurrentDevice() {
  if (current_contexts.empty() || current_contexts.back() == nullptr) return 0;
  return reinterpret_cast<Context*>(current_contexts.back())->device;
}

}  // namespace str::fake_gpu

using str::fake_gpu::ContextOf;
using str::fake_gpu::Contexts;
using str::fake_gpu::current_contexts;
using str::fake_gpu::CurrentDevice;
using str::fake_gpu::Driver;
using str::fake_gpu::Exists;

FAKE_GPU_EXPORT CUresult cuInit(unsigned) {
  return Driver::Get().settings().devices > 0 ? CUDA_SUCCESS : CUDA_ERROR_NO_DEVICE;
}

FAKE_GPU_EXPORT CUresult cuDriverGetVersion(int* version) {
  *version = CUDA_VERSION;
  return CUDA_SUCCESS;
}

FAKE_GPU_EXPORT CUresult cuDeviceGetCount(int* count) {
  *count = Driver::Get().settings().devices;
  return CUDA_SUCCESS;
}

FAKE_GPU_EXPORT CUresult cuDeviceGet(CUdevice* device, int ordinal) {
  if (!Exists(ordinal)) return CUDA_ERROR_INVALID_DEVICE;
  *device = ordinal;
  return CUDA_SUCCESS;
}

FAKE_GPU_EXPORT CUresult cuDeviceGetName(char* name, int length, CUdevice) {
  std::snprintf(name, length, "Emulated GPU (STR)");
  return CUDA_SUCCESS;
}

FAKE_GPU_EXPORT CUresult cuDeviceGetUuid(CUuuid* uuid, CUdevice device) {
  std::memset(uuid, 0, sizeof(*uuid));
  uuid->bytes[0] = static_cast<char>(device + 1);
  return CUDA_SUCCESS;
}

FAKE_GPU_EXPORT CUresult cuDeviceTotalMem(size_t* bytes, CUdevice) {
  *bytes = Driver::Get().settings().memory_bytes;
  return CUDA_SUCCESS;
}

FAKE_GPU_EXPORT CUresult cuDeviceGetPCIBusId(char* text, int length, CUdevice device) {
  std::snprintf(text, length, "0000:%02x:00.0", device + 1);
  return CUDA_SUCCESS;
}

FAKE_GPU_EXPORT CUresult cuDeviceCanAccessPeer(int* can, CUdevice, CUdevice) {
  *can = 0;
  return CUDA_SUCCESS;
}

FAKE_GPU_EXPORT CUresult cuDeviceGetAttribute(int* value, CUdevice_attribute attribute, CUdevice device) {
  if (!Exists(device)) return CUDA_ERROR_INVALID_DEVICE;
  switch (attribute) {
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR:
      *value = 8;
      break;
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR:
      *value = 6;
      break;
    case CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT:
      *value = 82;
      break;
    case CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
    case CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X:
    case CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y:
      *value = 1024;
      break;
    case CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z:
      *value = 64;
      break;
    case CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X:
      *value = 2147483647;
      break;
    case CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y:
    case CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z:
      *value = 65535;
      break;
    case CU_DEVICE_ATTRIBUTE_WARP_SIZE:
      *value = 32;
      break;
    case CU_DEVICE_ATTRIBUTE_CLOCK_RATE:
      *value = 1695000;
      break;
    case CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE:
      *value = 9751000;
      break;
    case CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH:
      *value = 384;
      break;
    case CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE:
      *value = 6 << 20;
      break;
    case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK:
      *value = 48 << 10;
      break;
    case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN:
      *value = 99 << 10;
      break;
    case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR:
      *value = 100 << 10;
      break;
    case CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR:
      *value = 1536;
      break;
    case CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK:
    case CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR:
      *value = 65536;
      break;
    case CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR:
      *value = 16;
      break;
    case CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING:
    case CU_DEVICE_ATTRIBUTE_CONCURRENT_KERNELS:
    case CU_DEVICE_ATTRIBUTE_STREAM_PRIORITIES_SUPPORTED:
    case CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED:
      *value = 1;
      break;
    case CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT:
      *value = 2;
      break;
    default:
      *value = 0;
  }
  return CUDA_SUCCESS;
}

FAKE_GPU_EXPORT CUresult cuGetErrorName(CUresult result, const char** name) {
  switch (result) {
    case CUDA_SUCCESS:
      *name = "CUDA_SUCCESS";
      break;
    case CUDA_ERROR_INVALID_VALUE:
      *name = "CUDA_ERROR_INVALID_VALUE";
      break;
    case CUDA_ERROR_OUT_OF_MEMORY:
      *name = "CUDA_ERROR_OUT_OF_MEMORY";
      break;
    case CUDA_ERROR_NOT_READY:
      *name = "CUDA_ERROR_NOT_READY";
      break;
    default:
      *name = "CUDA_ERROR_OF_THE_EMULATED_GPU";
  }
  return CUDA_SUCCESS;
}

FAKE_GPU_EXPORT CUresult cuGetErrorString(CUresult result, const char** text) { return cuGetErrorName(result, text); }

// Contexts.

FAKE_GPU_EXPORT CUresult cuDevicePrimaryCtxGetState(CUdevice device, unsigned* flags, int* active) {
  *flags = Contexts()[device].flags;
  *active = Contexts()[device].users > 0;
  return CUDA_SUCCESS;
}

FAKE_GPU_EXPORT CUresult cuDevicePrimaryCtxSetFlags(CUdevice device, unsigned flags) {
  Contexts()[device].flags = flags;
  return CUDA_SUCCESS;
}

FAKE_GPU_EXPORT CUresult cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice device) {
  if (!Exists(device)) return CUDA_ERROR_INVALID_DEVICE;
  ++Contexts()[device].users;
  *context = ContextOf(device);
  return CUDA_SUCCESS;
}

FAKE_GPU_EXPORT CUresult cuDevicePrimaryCtxRelease(CUdevice device) {
  --Contexts()[device].users;
  return CUDA_SUCCESS;
}

FAKE_GPU_EXPORT CUresult cuCtxGetCurrent(CUcontext* context) {
  *context = current_contexts.empty() ? nullptr : current_contexts.back();
  return CUDA_SUCCESS;
}

FAKE_GPU_EXPORT CUresult cuCtxSetCurrent(CUcontext context) {
  if (current_contexts.empty()) current_contexts.push_back(nullptr);
  current_contexts.back() = context;
  return CUDA_SUCCESS;
}

FAKE_GPU_EXPORT CUresult cuCtxPushCurrent(CUcontext context) {
  current_contexts.push_back(context);
  return CUDA_SUCCESS;
}

FAKE_GPU_EXPORT CUresult cuCtxPopCurrent(CUcontext* context) {
  if (current_contexts.empty()) return CUDA_ERROR_INVALID_CONTEXT;
  if (context != nullptr) *context = current_contexts.back();
  current_contexts.pop_back();
  return CUDA_SUCCESS;
}

FAKE_GPU_EXPORT CUresult cuCtxGetDevice(CUdevice* device) {
  *device = CurrentDevice();
  return CUDA_SUCCESS;
}

FAKE_GPU_EXPORT CUresult cuCtxGetStreamPriorityRange(int* least, int* greatest) {
  *least = 0;
  *greatest = -5;
  return CUDA_SUCCESS;
}

FAKE_GPU_EXPORT CUresult cuCtxGetApiVersion(CUcontext, unsigned* version) {
  *version = CUDA_VERSION;
  return CUDA_SUCCESS;
}

FAKE_GPU_EXPORT CUresult cuCtxSynchronize() {
  Driver::Get().SynchronizeDevice(CurrentDevice());
  return CUDA_SUCCESS;
}
