// File: memory_source.h
//
// Where the blocks of a DeviceMemory come from: address space of the host, or TensorFlow's allocator of a GPU. The
// source hands out memory; what is counted and limited is DeviceMemory's.
//
// Not thread-safe, but for AllocateWaiting: DeviceMemory locks.
#ifndef STR_TF_PLUGIN_DEVICE_MEMORY_SOURCE_H_
#define STR_TF_PLUGIN_DEVICE_MEMORY_SOURCE_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "tensorflow/core/framework/allocator.h"

namespace str::device {

class MemorySource {
 public:
  virtual ~MemorySource() = default;

  // Exactly `bytes`, a multiple of the granule. Null if there is no such block. Does not wait, whatever `attributes`
  // say.
  virtual void* Allocate(int64_t bytes, int64_t alignment, const tensorflow::AllocationAttributes& attributes) = 0;
  // The same after that was null, and may wait until others free memory. Thread-safe: DeviceMemory does not lock, so
  // that they can. Null where nothing is to be gained by waiting.
  virtual void* AllocateWaiting(int64_t bytes, int64_t alignment, const tensorflow::AllocationAttributes& attributes) {
    return nullptr;
  }
  // Why the last allocation was null: part of a sentence.
  virtual std::string WhyRefused() = 0;
  virtual void Free(void* pointer, int64_t bytes) = 0;

  // The arena is to hold `bytes`. Not asked for more than once per step.
  virtual void PrepareArena(int64_t bytes) {}
  // [offset, offset + bytes) of the arena, which is a range of its own; null if that is not free.
  virtual void* AllocateAt(int64_t offset, int64_t bytes) = 0;
  virtual void FreePlaced(void* pointer, int64_t bytes) = 0;

  // Whether ops beyond the limit get memory all the same, and fail afterwards. Not where they can take null: they fail
  // by themselves then, or do without the memory.
  virtual bool has_emergency_memory() const = 0;
  // Memory outside of the limit. Null if there is none left.
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
