#include "tf_plugin/device/virtual_region.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <iterator>

#include "absl/log/check.h"

namespace str::device {
namespace {

constexpr int64_t kSmallestRegionBytes = int64_t{1} << 30;

int64_t RoundUp(int64_t value, int64_t multiple) { return (value + multiple - 1) / multiple * multiple; }

}  // namespace

VirtualRegion::VirtualRegion(int64_t bytes) {
  const int64_t page = sysconf(_SC_PAGESIZE);
  for (int64_t size = RoundUp(bytes, page); base_ == nullptr; size = RoundUp(size / 2, page)) {
    void* base = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (base != MAP_FAILED) {
      base_ = static_cast<char*>(base);
      capacity_bytes_ = size;
    } else {
      CHECK_GT(size, kSmallestRegionBytes) << "the system refuses to reserve even 1 GiB of address space";
    }
  }
  Insert(0, {capacity_bytes_, /*clean=*/true});
}

VirtualRegion::~VirtualRegion() { munmap(base_, capacity_bytes_); }

int64_t VirtualRegion::DirtyBytes(int64_t offset, const FreeBlock& block) const {
  if (block.clean) return 0;
  return std::max<int64_t>(0, std::min(offset + block.bytes, highest_used_offset_) - offset);
}

void VirtualRegion::Insert(int64_t offset, FreeBlock block) {
  free_by_offset_.emplace(offset, block);
  free_by_size_.emplace(block.bytes, offset);
  dirty_free_bytes_ += DirtyBytes(offset, block);
}

void VirtualRegion::Erase(FreeBlocks::iterator block) {
  dirty_free_bytes_ -= DirtyBytes(block->first, block->second);
  free_by_size_.erase({block->second.bytes, block->first});
  free_by_offset_.erase(block);
}

void* VirtualRegion::Carve(FreeBlocks::iterator block, int64_t offset, int64_t bytes) {
  const int64_t start = block->first;
  const int64_t end = start + block->second.bytes;
  const bool clean = block->second.clean;
  Erase(block);
  highest_used_offset_ = std::max(highest_used_offset_, offset + bytes);
  if (offset > start) Insert(start, {offset - start, clean});
  if (end > offset + bytes) Insert(offset + bytes, {end - offset - bytes, clean});
  return base_ + offset;
}

void* VirtualRegion::Allocate(int64_t bytes, int64_t alignment) {
  for (auto it = free_by_size_.lower_bound({bytes, 0}); it != free_by_size_.end(); ++it) {
    const auto [size, start] = *it;
    const int64_t address = reinterpret_cast<intptr_t>(base_) + start;
    const int64_t offset = start + RoundUp(address, alignment) - address;
    if (offset + bytes <= start + size) return Carve(free_by_offset_.find(start), offset, bytes);
  }
  return nullptr;
}

void* VirtualRegion::AllocateAt(int64_t offset, int64_t bytes) {
  auto next = free_by_offset_.upper_bound(offset);
  if (next == free_by_offset_.begin()) return nullptr;
  const auto block = std::prev(next);
  if (offset + bytes > block->first + block->second.bytes) return nullptr;
  return Carve(block, offset, bytes);
}

void VirtualRegion::Free(void* pointer, int64_t bytes) {
  int64_t offset = static_cast<char*>(pointer) - base_;
  FreeBlock merged = {bytes, /*clean=*/false};
  const auto next = free_by_offset_.lower_bound(offset);
  CHECK(next == free_by_offset_.end() || offset + bytes <= next->first) << "freed twice";
  if (next != free_by_offset_.begin()) {
    const auto previous = std::prev(next);
    CHECK_LE(previous->first + previous->second.bytes, offset) << "freed twice";
    if (previous->first + previous->second.bytes == offset) {
      offset = previous->first;
      merged.bytes += previous->second.bytes;
      Erase(previous);
    }
  }
  if (next != free_by_offset_.end() && offset + merged.bytes == next->first) {
    merged.bytes += next->second.bytes;
    Erase(next);
  }
  Insert(offset, merged);
}

void VirtualRegion::ReleaseHoles() {
  const int64_t page = sysconf(_SC_PAGESIZE);
  for (auto& [offset, block] : free_by_offset_) {
    if (block.clean) continue;
    const int64_t first = RoundUp(offset, page);
    const int64_t last = std::min(offset + block.bytes, RoundUp(highest_used_offset_, page)) / page * page;
    if (last > first) madvise(base_ + first, last - first, MADV_DONTNEED);
    block.clean = true;
  }
  dirty_free_bytes_ = 0;
}

bool VirtualRegion::Contains(const void* pointer) const {
  return pointer >= base_ && pointer < base_ + capacity_bytes_;
}

}  // namespace str::device
