#include "tf_plugin/gpu/gpu_memory.h"

namespace str::gpu {
namespace {

using tensorflow::AllocationAttributes;
using tensorflow::AllocatorStats;

// TensorFlow's allocator would wait for others to free memory, which they cannot while DeviceMemory is locked.
AllocationAttributes WithoutWaiting() {
  return AllocationAttributes(/*retry_on_failure=*/false, /*allocation_will_be_logged=*/false,
                              /*freed_by_func=*/nullptr);
}

}  // namespace

void* GpuMemorySource::Allocate(int64_t bytes, int64_t alignment) {
  return base_->AllocateRaw(alignment, bytes, WithoutWaiting());
}

void GpuMemorySource::Free(void* pointer, int64_t) { base_->DeallocateRaw(pointer); }

void GpuMemorySource::PrepareArena(int64_t bytes) {
  if (bytes <= arena_ranges_.capacity_bytes() || !arena_ranges_.empty()) return;
  if (arena_ != nullptr) base_->DeallocateRaw(arena_);
  arena_ = static_cast<char*>(base_->AllocateRaw(device::kGranuleBytes, bytes, WithoutWaiting()));
  arena_ranges_ = device::OffsetRanges(arena_ != nullptr ? bytes : 0);
}

void* GpuMemorySource::AllocateAt(int64_t offset, int64_t bytes) {
  return arena_ranges_.TakeAt(offset, bytes) ? arena_ + offset : nullptr;
}

void GpuMemorySource::FreePlaced(void* pointer, int64_t) { arena_ranges_.Give(static_cast<char*>(pointer) - arena_); }

std::optional<AllocatorStats> GpuMemory::GetStats() {
  std::optional<AllocatorStats> stats = DeviceMemory::GetStats();
  const std::optional<AllocatorStats> base = base_->GetStats();
  if (!stats.has_value() || !base.has_value()) return stats;
  if (!stats->bytes_limit.has_value()) stats->bytes_limit = base->bytes_limit;
  stats->pool_bytes = base->pool_bytes;
  stats->peak_pool_bytes = base->peak_pool_bytes;
  stats->largest_free_block_bytes = base->largest_free_block_bytes;
  return stats;
}

}  // namespace str::gpu
