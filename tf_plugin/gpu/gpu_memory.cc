#include "tf_plugin/gpu/gpu_memory.h"

#include <algorithm>
#include <utility>

#include "absl/log/check.h"
#include "absl/strings/str_cat.h"
#include "config/text_units.h"

namespace str::gpu {
namespace {

using tensorflow::AllocationAttributes;
using tensorflow::AllocatorStats;

}  // namespace

void* GpuMemorySource::Allocate(int64_t bytes, int64_t alignment, const AllocationAttributes& attributes) {
  // TensorFlow's allocator would wait for others to free memory, which they cannot while DeviceMemory is locked.
  return base_->AllocateRaw(
      alignment, bytes,
      AllocationAttributes(/*retry_on_failure=*/false, attributes.allocation_will_be_logged, attributes.freed_by_func));
}

void* GpuMemorySource::AllocateWaiting(int64_t bytes, int64_t alignment, const AllocationAttributes& attributes) {
  return base_->AllocateRaw(alignment, bytes, attributes);
}

std::string GpuMemorySource::WhyRefused() {
  const std::optional<AllocatorStats> stats = base_->GetStats();
  if (!stats.has_value()) return absl::StrCat("TensorFlow's allocator ", base_->Name(), " has no such block");
  return absl::StrCat(
      "TensorFlow's allocator ", base_->Name(), " has no such block, with ", config::FormatBytes(stats->bytes_in_use),
      " in use", stats->bytes_limit.has_value() ? absl::StrCat(" of ", config::FormatBytes(*stats->bytes_limit)) : "",
      arena_.start != nullptr ? absl::StrCat(", an arena for planned places of ",
                                             config::FormatBytes(arena_.taken.capacity_bytes()), " among them")
                              : "");
}

void GpuMemorySource::Free(void* pointer, int64_t) { base_->DeallocateRaw(pointer); }

GpuMemorySource::Arena GpuMemorySource::TakeArena(int64_t bytes) {
  void* const start = base_->AllocateRaw(
      device::kGranuleBytes, bytes,
      AllocationAttributes(/*retry_on_failure=*/false, /*allocation_will_be_logged=*/false, /*freed_by_func=*/nullptr));
  return {static_cast<char*>(start), device::OffsetRanges(start != nullptr ? bytes : 0)};
}

void GpuMemorySource::PrepareArena(int64_t bytes) {
  const int64_t before_bytes = arena_.taken.capacity_bytes();
  if (bytes <= before_bytes) return;
  if (arena_.taken.empty()) {
    // Its memory may be what the larger one needs.
    if (arena_.start != nullptr) base_->DeallocateRaw(arena_.start);
    arena_ = TakeArena(bytes);
    if (arena_.start == nullptr && before_bytes > 0) arena_ = TakeArena(before_bytes);
    return;
  }
  Arena larger = TakeArena(bytes);
  if (larger.start == nullptr) return;
  earlier_.push_back(std::exchange(arena_, std::move(larger)));
}

void* GpuMemorySource::AllocateAt(int64_t offset, int64_t bytes) {
  return arena_.taken.TakeAt(offset, bytes) ? arena_.start + offset : nullptr;
}

void GpuMemorySource::FreePlaced(void* pointer, int64_t) {
  char* const place = static_cast<char*>(pointer);
  const auto is_in = [place](const Arena& arena) {
    return arena.start <= place && place < arena.start + arena.taken.capacity_bytes();
  };
  if (is_in(arena_)) {
    arena_.taken.Give(place - arena_.start);
    return;
  }
  const auto earlier = std::find_if(earlier_.begin(), earlier_.end(), is_in);
  CHECK(earlier != earlier_.end()) << "not placed here";
  earlier->taken.Give(place - earlier->start);
  if (!earlier->taken.empty()) return;
  base_->DeallocateRaw(earlier->start);
  earlier_.erase(earlier);
}

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
