#include "tests/fake_gpu/device_memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>

namespace str::fake_gpu {
namespace {

constexpr int64_t kPageBytes = 4096;
// Larger allocations are the pools of TensorFlow's allocators: filling them would touch the whole device.
constexpr int64_t kLargestFilled = int64_t{64} << 20;
constexpr int kPattern = 0xFF;

int64_t RoundUp(int64_t value, int64_t multiple) { return (value + multiple - 1) / multiple * multiple; }

// Four times the limit, so that freed addresses are not handed out again soon.
int64_t MappedBytes(int64_t limit_bytes) { return RoundUp(4 * limit_bytes, kPageBytes); }

[[noreturn]] void Die(const char* what) {
  std::fprintf(stderr, "fake_gpu: no memory for an emulated device: ");
  std::perror(what);
  std::abort();
}

}  // namespace

DeviceMemory::DeviceMemory(int64_t limit_bytes)
    : limit_bytes_(limit_bytes / kAlignment * kAlignment), mapped_bytes_(MappedBytes(limit_bytes)) {
  file_ = memfd_create("fake_gpu", MFD_CLOEXEC);
  if (file_ < 0) Die("memfd_create");
  if (ftruncate(file_, mapped_bytes_) != 0) Die("ftruncate");
  void* const hidden = mmap(nullptr, mapped_bytes_, PROT_NONE, MAP_SHARED, file_, 0);
  void* const alias = mmap(nullptr, mapped_bytes_, PROT_READ | PROT_WRITE, MAP_SHARED, file_, 0);
  if (hidden == MAP_FAILED || alias == MAP_FAILED) Die("mmap");
  base_ = reinterpret_cast<uintptr_t>(hidden);
  alias_ = static_cast<char*>(alias);
  holes_[0] = mapped_bytes_;
}

DeviceMemory::~DeviceMemory() {
  munmap(reinterpret_cast<void*>(base_), mapped_bytes_);
  munmap(alias_, mapped_bytes_);
  close(file_);
}

std::optional<int64_t> DeviceMemory::TakeHole(int64_t bytes) {
  const auto take = [&](std::map<int64_t, int64_t>::iterator hole, int64_t from) -> std::optional<int64_t> {
    const int64_t begin = hole->first;
    const int64_t end = begin + hole->second;
    if (end - from < bytes) return std::nullopt;
    holes_.erase(hole);
    if (from > begin) holes_[begin] = from - begin;
    if (end > from + bytes) holes_[from + bytes] = end - from - bytes;
    cursor_ = from + bytes;
    return from;
  };
  // The part of a hole behind the cursor, the holes after it, then those from the start.
  auto after = holes_.upper_bound(cursor_);
  if (after != holes_.begin()) {
    const auto around = std::prev(after);
    if (around->first + around->second > cursor_) {
      if (const auto taken = take(around, cursor_); taken.has_value()) return taken;
    }
  }
  for (auto it = after; it != holes_.end(); ++it) {
    if (it->second >= bytes) return take(it, it->first);
  }
  for (auto it = holes_.begin(); it != after; ++it) {
    if (it->second >= bytes) return take(it, it->first);
  }
  return std::nullopt;
}

bool DeviceMemory::HasHole(int64_t bytes) const {
  return std::any_of(holes_.begin(), holes_.end(),
                     [rounded = RoundUp(bytes, kAlignment)](const auto& hole) { return hole.second >= rounded; });
}

std::optional<Range> DeviceMemory::Allocate(int64_t bytes) {
  const int64_t rounded = RoundUp(bytes, kAlignment);
  if (bytes <= 0 || used_bytes_ + rounded > limit_bytes_) return std::nullopt;
  const std::optional<int64_t> offset = TakeHole(rounded);
  if (!offset.has_value()) return std::nullopt;
  used_bytes_ += rounded;
  const uintptr_t begin = base_ + *offset;
  allocations_[begin] = {rounded, false};
  if (rounded <= kLargestFilled) std::memset(alias_ + *offset, kPattern, rounded);
  return Range{begin, static_cast<uint64_t>(rounded)};
}

void DeviceMemory::GiveBack(uintptr_t begin) {
  Allocation& allocation = allocations_.at(begin);
  allocation.given_back = true;
  used_bytes_ -= allocation.bytes;
}

void DeviceMemory::Recycle(uintptr_t begin) {
  const auto allocation = allocations_.find(begin);
  int64_t offset = begin - base_;
  int64_t bytes = allocation->second.bytes;
  allocations_.erase(allocation);
  const int64_t first_page = RoundUp(offset, kPageBytes);
  const int64_t end_page = (offset + bytes) / kPageBytes * kPageBytes;
  if (end_page > first_page) {
    fallocate(file_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, first_page, end_page - first_page);
  }
  auto next = holes_.lower_bound(offset);
  if (next != holes_.end() && next->first == offset + bytes) {
    bytes += next->second;
    next = holes_.erase(next);
  }
  if (next != holes_.begin()) {
    const auto previous = std::prev(next);
    if (previous->first + previous->second == offset) {
      offset = previous->first;
      bytes += previous->second;
      holes_.erase(previous);
    }
  }
  holes_[offset] = bytes;
}

std::optional<Range> DeviceMemory::Find(uintptr_t address) const {
  const auto after = allocations_.upper_bound(address);
  if (after == allocations_.begin()) return std::nullopt;
  const auto found = std::prev(after);
  if (found->second.given_back || address >= found->first + found->second.bytes) return std::nullopt;
  return Range{found->first, static_cast<uint64_t>(found->second.bytes)};
}

}  // namespace str::fake_gpu
