// File: memory_source.h
//
// Where the blocks of a DeviceMemory come from: address space of the host, or TensorFlow's allocator of a GPU. The
// source hands out memory; what is counted and limited is DeviceMemory's.
//
// Not thread-safe: DeviceMemory locks.
#ifndef STR_TF_PLUGIN_DEVICE_MEMORY_SOURCE_H_
#define STR_TF_PLUGIN_DEVICE_MEMORY_SOURCE_H_

#include <cstddef>
#include <cstdint>

#include "tensorflow/core/framework/allocator.h"

namespace str::device {

class MemorySource {
 public:
  virtual ~MemorySource() = default;

  // Exactly `bytes`, a multiple of the granule. Null if there is no such block.
  virtual void* Allocate(int64_t bytes, int64_t alignment) = 0;
  virtual void Free(void* pointer, int64_t bytes) = 0;

  // The arena is to hold `bytes`. Not asked for more than once per step.
  virtual void PrepareArena(int64_t bytes) {}
  // [offset, offset + bytes) of the arena, which is a range of its own; null if that is not free.
  virtual void* AllocateAt(int64_t offset, int64_t bytes) = 0;
  virtual void FreePlaced(void* pointer, int64_t bytes) = 0;

  // For an op beyond the limit, which will fail: memory outside of the limit, or null where ops of this device can take
  // that.
  virtual void* AllocateEmergency(int64_t bytes) = 0;
  virtual void FreeEmergency(void* pointer) = 0;

  // Whether the host can write to the memory.
  virtual bool is_host_memory() const = 0;
  virtual tensorflow::AllocatorMemoryType memory_type() const = 0;

  // Bytes that nobody uses and that were not given back to the system.
  virtual int64_t IdleBytes() const { return 0; }
  // Called after each allocation; may give memory that nobody uses back to the system, where more than `most_bytes`
  // would be held otherwise.
  virtual void Relieve(int64_t bytes_in_use, int64_t most_bytes) = 0;
};

}  // namespace str::device

#endif  // STR_TF_PLUGIN_DEVICE_MEMORY_SOURCE_H_
