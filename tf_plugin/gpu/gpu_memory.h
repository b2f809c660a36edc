// File: gpu_memory.h
//
// The memory of a GPU: TensorFlow's own allocator of that GPU beneath, with bytes in use counted and limited as on the
// CPU device (device/device_memory.h), and planned places in an arena, which is one block of TensorFlow's allocator.
//
// A freed block may be handed out again while kernels that use it are still queued: all of TensorFlow's kernels run on
// one compute stream, so whoever gets the block next is queued behind them. Arena places are used again by the same
// rule. Work on other streams has to be joined with the compute stream before its memory is freed (swap_lanes.h).
//
// Needs no GPU class of TensorFlow: tests run it over any allocator.
#ifndef STR_TF_PLUGIN_GPU_GPU_MEMORY_H_
#define STR_TF_PLUGIN_GPU_GPU_MEMORY_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tensorflow/core/framework/allocator.h"
#include "tf_plugin/device/device_memory.h"
#include "tf_plugin/device/memory_source.h"
#include "tf_plugin/device/offset_ranges.h"

namespace str::gpu {

class GpuMemorySource : public device::MemorySource {
 public:
  // `base` is not owned.
  explicit GpuMemorySource(tensorflow::Allocator* base) : base_(base) {}

  void* Allocate(int64_t bytes, int64_t alignment, const tensorflow::AllocationAttributes& attributes) override;
  void* AllocateWaiting(int64_t bytes, int64_t alignment, const tensorflow::AllocationAttributes& attributes) override;
  std::string WhyRefused() override;
  void Free(void* pointer, int64_t bytes) override;
  // Takes the arena from `base`; a larger one if more is wanted. What lies in the one before stays there until it is
  // freed. Without memory for a larger one the one before stays in use, and AllocateAt finds no place beyond it.
  void PrepareArena(int64_t bytes) override;
  void* AllocateAt(int64_t offset, int64_t bytes) override;
  void FreePlaced(void* pointer, int64_t bytes) override;
  // Kernels for GPUs report an allocation that failed.
  bool has_emergency_memory() const override { return false; }
  void* AllocateEmergency(int64_t bytes) override { return nullptr; }
  void FreeEmergency(void* pointer) override {}
  bool is_host_memory() const override { return false; }
  tensorflow::AllocatorMemoryType memory_type() const override { return base_->GetMemoryType(); }
  void Relieve(int64_t bytes_in_use, int64_t limit_bytes) override {}

 private:
  // One block of `base`.
  struct Arena {
    char* start = nullptr;
    device::OffsetRanges taken{0};
  };

  Arena TakeArena(int64_t bytes);

  tensorflow::Allocator* const base_;
  Arena arena_;
  // Smaller ones from before, in which something still lies.
  std::vector<Arena> earlier_;
};

class GpuMemory : public device::DeviceMemory {
 public:
  // `base` is not owned.
  GpuMemory(int64_t limit_bytes, tensorflow::Allocator* base)
      : DeviceMemory(limit_bytes, std::make_unique<GpuMemorySource>(base)), base_(base) {}

  std::string Name() override { return "str_gpu_memory"; }
  // Memory beside all that is counted.
  tensorflow::Allocator* base() const { return base_; }
  // With what TensorFlow's allocator knows of the device where nothing is counted here.
  std::optional<tensorflow::AllocatorStats> GetStats() override;
  void SetSafeFrontier(uint64_t count) override { base_->SetSafeFrontier(count); }
  void SetStreamAndPreallocateMemory(void* stream) override { base_->SetStreamAndPreallocateMemory(stream); }

 private:
  tensorflow::Allocator* const base_;
};

}  // namespace str::gpu

#endif  // STR_TF_PLUGIN_GPU_GPU_MEMORY_H_
