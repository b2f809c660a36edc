// The memory of one emulated device: a sparse file in memory, mapped twice.
//
// At the addresses that are handed out nothing can be accessed: host code that dereferences a device pointer dies, as
// on a machine with a GPU. Streams work on the second mapping, the alias. Addresses are reused as late as possible, so
// that a use after free meets no new allocation. Not thread-safe: the driver holds its lock.
#ifndef STR_TESTS_FAKE_GPU_DEVICE_MEMORY_H_
#define STR_TESTS_FAKE_GPU_DEVICE_MEMORY_H_

#include <cstdint>
#include <map>
#include <optional>

#include "tests/fake_gpu/access_checker.h"

namespace str::fake_gpu {

class DeviceMemory {
 public:
  // Sizes are rounded up to this, as in CUDA's own pools.
  static constexpr int64_t kAlignment = 512;

  // Dies if the system has no address space for it.
  explicit DeviceMemory(int64_t limit_bytes);
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;
  ~DeviceMemory();

  // Memory of at least `bytes`, filled with a pattern that is NaN as floating-point numbers if it is not large; nothing
  // if the limit or the address space is reached.
  std::optional<Range> Allocate(int64_t bytes);
  // Whether there are addresses for it, whatever the limit says.
  bool HasHole(int64_t bytes) const;
  // The allocation does not count towards the limit any more; its addresses stay taken until Recycle.
  // REQUIRES: it begins an allocation that was not given back yet.
  void GiveBack(uintptr_t begin);
  // Addresses and pages may be used again. REQUIRES: GiveBack was called, nothing runs on it any more.
  void Recycle(uintptr_t begin);

  // The allocation that contains the address; nothing if there is none or it was given back.
  std::optional<Range> Find(uintptr_t address) const;
  bool Contains(uintptr_t address) const { return address >= base_ && address < base_ + mapped_bytes_; }
  // REQUIRES: Contains(address).
  char* Alias(uintptr_t address) const { return alias_ + (address - base_); }

  int64_t used_bytes() const { return used_bytes_; }
  int64_t limit_bytes() const { return limit_bytes_; }

 private:
  struct Allocation {
    int64_t bytes = 0;
    bool given_back = false;
  };

  // The offset of a free range, which is then taken.
  std::optional<int64_t> TakeHole(int64_t bytes);

  const int64_t limit_bytes_;
  const int64_t mapped_bytes_;
  int file_ = -1;
  uintptr_t base_ = 0;
  char* alias_ = nullptr;
  int64_t used_bytes_ = 0;
  // Where the next search for a hole begins, as an offset.
  int64_t cursor_ = 0;
  // Offset -> size, free ranges.
  std::map<int64_t, int64_t> holes_;
  std::map<uintptr_t, Allocation> allocations_;
};

}  // namespace str::fake_gpu

#endif  // STR_TESTS_FAKE_GPU_DEVICE_MEMORY_H_
