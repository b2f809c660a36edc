#include "tf_plugin/device/host_memory_source.h"

#include <cstdlib>

#include "tf_plugin/device/device_memory.h"

namespace str::device {
namespace {

// Address space costs nothing until it is touched.
constexpr int64_t kRegionBytes = int64_t{1} << 40;
// Resident memory may pass the limit by this much before free pages are returned: returning them has a price.
constexpr int64_t kResidentSlackBytes = int64_t{16} << 20;

}  // namespace

HostMemorySource::HostMemorySource() : general_(kRegionBytes), arena_(kRegionBytes) {}

void* HostMemorySource::Allocate(int64_t bytes, int64_t alignment, const tensorflow::AllocationAttributes&) {
  return general_.Allocate(bytes, alignment);
}

void HostMemorySource::Free(void* pointer, int64_t bytes) { general_.Free(pointer, bytes); }

void* HostMemorySource::AllocateAt(int64_t offset, int64_t bytes) { return arena_.AllocateAt(offset, bytes); }

void HostMemorySource::FreePlaced(void* pointer, int64_t bytes) { arena_.Free(pointer, bytes); }

void* HostMemorySource::AllocateEmergency(int64_t bytes) {
  void* pointer = nullptr;
  return posix_memalign(&pointer, kGranuleBytes, bytes) == 0 ? pointer : nullptr;
}

void HostMemorySource::FreeEmergency(void* pointer) { std::free(pointer); }

int64_t HostMemorySource::IdleBytes() const { return general_.dirty_free_bytes() + arena_.dirty_free_bytes(); }

void HostMemorySource::Relieve(int64_t bytes_in_use, int64_t most_bytes) {
  if (most_bytes == kNoLimit) return;
  if (bytes_in_use + IdleBytes() <= most_bytes + kResidentSlackBytes) return;
  general_.ReleaseHoles();
  if (bytes_in_use + arena_.dirty_free_bytes() > most_bytes + kResidentSlackBytes) arena_.ReleaseHoles();
}

}  // namespace str::device
