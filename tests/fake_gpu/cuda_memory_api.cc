// CUDA's driver functions for memory: allocation, attributes, copies and fills.
#include <cuda.h>

#include <cstring>

#include "tests/fake_gpu/cuda_handles.h"

using str::fake_gpu::ContextOf;
using str::fake_gpu::CurrentDevice;
using str::fake_gpu::Driver;
using str::fake_gpu::MemoryKind;
using str::fake_gpu::ToCuda;
using str::fake_gpu::ToStream;

namespace {

CUresult Copy(uintptr_t to, uintptr_t from, size_t bytes, CUstream stream, bool blocking) {
  return ToCuda(Driver::Get().Copy(to, from, bytes, ToStream(stream), blocking));
}

uintptr_t Address(const void* pointer) { return reinterpret_cast<uintptr_t>(pointer); }

CUresult FillBytes(CUdeviceptr to, unsigned char value, size_t count, CUstream stream, bool blocking) {
  const auto fill = [value, count](char* alias) { std::memset(alias, value, count); };
  return ToCuda(Driver::Get().Fill(to, count, fill, ToStream(stream), blocking));
}

CUresult FillWords(CUdeviceptr to, unsigned value, size_t count, CUstream stream, bool blocking) {
  const auto fill = [value, count](char* alias) {
    for (size_t i = 0; i < count; ++i) std::memcpy(alias + i * sizeof(value), &value, sizeof(value));
  };
  return ToCuda(Driver::Get().Fill(to, count * sizeof(value), fill, ToStream(stream), blocking));
}

}  // namespace

FAKE_GPU_EXPORT CUresult cuMemGetInfo(size_t* free_bytes, size_t* total_bytes) {
  int64_t free = 0, total = 0;
  Driver::Get().MemoryInfo(CurrentDevice(), &free, &total);
  *free_bytes = free;
  *total_bytes = total;
  return CUDA_SUCCESS;
}

FAKE_GPU_EXPORT CUresult cuMemAlloc(CUdeviceptr* address, size_t bytes) {
  uintptr_t allocated = 0;
  const CUresult result = ToCuda(Driver::Get().Allocate(CurrentDevice(), bytes, &allocated));
  *address = allocated;
  return result;
}

FAKE_GPU_EXPORT CUresult cuMemFree(CUdeviceptr address) { return ToCuda(Driver::Get().Free(address)); }

FAKE_GPU_EXPORT CUresult cuMemHostAlloc(void** address, size_t bytes, unsigned) {
  return ToCuda(Driver::Get().AllocatePinned(bytes, address));
}

FAKE_GPU_EXPORT CUresult cuMemAllocHost(void** address, size_t bytes) { return cuMemHostAlloc(address, bytes, 0); }

FAKE_GPU_EXPORT CUresult cuMemFreeHost(void* address) { return ToCuda(Driver::Get().FreePinned(address)); }

FAKE_GPU_EXPORT CUresult cuMemHostRegister(void* address, size_t bytes, unsigned) {
  return ToCuda(Driver::Get().RegisterPinned(address, bytes));
}

FAKE_GPU_EXPORT CUresult cuMemHostUnregister(void* address) {
  const CUresult result = ToCuda(Driver::Get().UnregisterPinned(address));
  return result == CUDA_ERROR_NOT_FOUND ? CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED : result;
}

FAKE_GPU_EXPORT CUresult cuMemHostGetDevicePointer(CUdeviceptr* address, void* pinned, unsigned) {
  *address = Address(pinned);
  return CUDA_SUCCESS;
}

FAKE_GPU_EXPORT CUresult cuMemGetAddressRange(CUdeviceptr* begin, size_t* bytes, CUdeviceptr address) {
  const auto place = Driver::Get().Find(address);
  if (!place.has_value()) return CUDA_ERROR_NOT_FOUND;
  if (begin != nullptr) *begin = place->range.begin;
  if (bytes != nullptr) *bytes = place->range.bytes;
  return CUDA_SUCCESS;
}

FAKE_GPU_EXPORT CUresult cuPointerGetAttribute(void* value, CUpointer_attribute attribute, CUdeviceptr address) {
  const auto place = Driver::Get().Find(address);
  if (attribute == CU_POINTER_ATTRIBUTE_IS_MANAGED || attribute == CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES) {
    *static_cast<unsigned*>(value) = 0;
    return CUDA_SUCCESS;
  }
  if (!place.has_value()) return CUDA_ERROR_INVALID_VALUE;
  switch (attribute) {
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
      *static_cast<unsigned*>(value) = place->kind == MemoryKind::kDevice ? CU_MEMORYTYPE_DEVICE : CU_MEMORYTYPE_HOST;
      return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
      *static_cast<int*>(value) = place->device;
      return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_CONTEXT:
      *static_cast<CUcontext*>(value) = ContextOf(place->device);
      return CUDA_SUCCESS;
    default:
      return CUDA_ERROR_NOT_SUPPORTED;
  }
}

// Stream-ordered memory. Each device has one pool: the handle is made from the device's number.

namespace {

CUmemoryPool PoolOf(int device) { return reinterpret_cast<CUmemoryPool>(static_cast<uintptr_t>(device) + 1); }

}  // namespace

FAKE_GPU_EXPORT CUresult cuDeviceGetDefaultMemPool(CUmemoryPool* pool, CUdevice device) {
  *pool = PoolOf(device);
  return CUDA_SUCCESS;
}

FAKE_GPU_EXPORT CUresult cuDeviceGetMemPool(CUmemoryPool* pool, CUdevice device) {
  *pool = PoolOf(device);
  return CUDA_SUCCESS;
}

FAKE_GPU_EXPORT CUresult cuMemPoolCreate(CUmemoryPool* pool, const CUmemPoolProps* properties) {
  *pool = PoolOf(properties->location.id);
  return CUDA_SUCCESS;
}

FAKE_GPU_EXPORT CUresult cuMemPoolDestroy(CUmemoryPool) { return CUDA_SUCCESS; }

FAKE_GPU_EXPORT CUresult cuMemPoolSetAttribute(CUmemoryPool, CUmemPool_attribute, void*) { return CUDA_SUCCESS; }

// Whichever figure is asked for: the pool has reserved exactly what is in use.
FAKE_GPU_EXPORT CUresult cuMemPoolGetAttribute(CUmemoryPool pool, CUmemPool_attribute, void* value) {
  int64_t free = 0, total = 0;
  Driver::Get().MemoryInfo(static_cast<int>(reinterpret_cast<uintptr_t>(pool)) - 1, &free, &total);
  *static_cast<cuuint64_t*>(value) = total - free;
  return CUDA_SUCCESS;
}

FAKE_GPU_EXPORT CUresult cuMemPoolSetAccess(CUmemoryPool, const CUmemAccessDesc*, size_t) { return CUDA_SUCCESS; }

FAKE_GPU_EXPORT CUresult cuMemPoolTrimTo(CUmemoryPool, size_t) { return CUDA_SUCCESS; }

FAKE_GPU_EXPORT CUresult cuMemAllocAsync(CUdeviceptr* address, size_t bytes, CUstream stream) {
  uintptr_t allocated = 0;
  const CUresult result = ToCuda(Driver::Get().AllocateInOrder(ToStream(stream), bytes, &allocated));
  *address = allocated;
  return result;
}

FAKE_GPU_EXPORT CUresult cuMemAllocFromPoolAsync(CUdeviceptr* address, size_t bytes, CUmemoryPool, CUstream stream) {
  return cuMemAllocAsync(address, bytes, stream);
}

FAKE_GPU_EXPORT CUresult cuMemFreeAsync(CUdeviceptr address, CUstream stream) {
  return ToCuda(Driver::Get().FreeInOrder(ToStream(stream), address));
}

// Copies.

FAKE_GPU_EXPORT CUresult cuMemcpyDtoHAsync(void* to, CUdeviceptr from, size_t bytes, CUstream stream) {
  return Copy(Address(to), from, bytes, stream, /*blocking=*/false);
}

FAKE_GPU_EXPORT CUresult cuMemcpyHtoDAsync(CUdeviceptr to, const void* from, size_t bytes, CUstream stream) {
  return Copy(to, Address(from), bytes, stream, /*blocking=*/false);
}

FAKE_GPU_EXPORT CUresult cuMemcpyDtoDAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream) {
  return Copy(to, from, bytes, stream, /*blocking=*/false);
}

FAKE_GPU_EXPORT CUresult cuMemcpyPeerAsync(CUdeviceptr to, CUcontext, CUdeviceptr from, CUcontext, size_t bytes,
                                           CUstream stream) {
  return Copy(to, from, bytes, stream, /*blocking=*/false);
}

FAKE_GPU_EXPORT CUresult cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream) {
  return Copy(to, from, bytes, stream, /*blocking=*/false);
}

FAKE_GPU_EXPORT CUresult cuMemcpyDtoH(void* to, CUdeviceptr from, size_t bytes) {
  return Copy(Address(to), from, bytes, nullptr, /*blocking=*/true);
}

FAKE_GPU_EXPORT CUresult cuMemcpyHtoD(CUdeviceptr to, const void* from, size_t bytes) {
  return Copy(to, Address(from), bytes, nullptr, /*blocking=*/true);
}

FAKE_GPU_EXPORT CUresult cuMemcpyDtoD(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
  return Copy(to, from, bytes, nullptr, /*blocking=*/true);
}

FAKE_GPU_EXPORT CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value, size_t count, CUstream stream) {
  return FillBytes(to, value, count, stream, /*blocking=*/false);
}

FAKE_GPU_EXPORT CUresult cuMemsetD32Async(CUdeviceptr to, unsigned value, size_t count, CUstream stream) {
  return FillWords(to, value, count, stream, /*blocking=*/false);
}

FAKE_GPU_EXPORT CUresult cuMemsetD8(CUdeviceptr to, unsigned char value, size_t count) {
  return FillBytes(to, value, count, nullptr, /*blocking=*/true);
}

FAKE_GPU_EXPORT CUresult cuMemsetD32(CUdeviceptr to, unsigned value, size_t count) {
  return FillWords(to, value, count, nullptr, /*blocking=*/true);
}
