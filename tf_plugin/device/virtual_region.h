// File: virtual_region.h
//
// A range of address space with an exactly splitting best-fit allocator on it. Only touched pages cost memory, so holes
// are returned to the system by ReleaseHoles: the limit that the device enforces on bytes in use then also holds for
// the process's resident memory.
//
// Not thread-safe: the owner locks.
#ifndef STR_TF_PLUGIN_DEVICE_VIRTUAL_REGION_H_
#define STR_TF_PLUGIN_DEVICE_VIRTUAL_REGION_H_

#include <cstdint>
#include <map>
#include <set>
#include <utility>

namespace str::device {

class VirtualRegion {
 public:
  // Reserves up to `bytes` of address space; less if the system refuses, see capacity_bytes().
  explicit VirtualRegion(int64_t bytes);
  ~VirtualRegion();
  VirtualRegion(const VirtualRegion&) = delete;
  VirtualRegion& operator=(const VirtualRegion&) = delete;

  // Smallest free block that fits, lowest address among equals, split to exactly `bytes`. `alignment` is a power of
  // two. Null if no free block fits.
  void* Allocate(int64_t bytes, int64_t alignment);
  // Takes [offset, offset + bytes) if it is free, else null.
  void* AllocateAt(int64_t offset, int64_t bytes);
  // `bytes` as given to the allocation of `pointer`.
  void Free(void* pointer, int64_t bytes);

  // Gives the whole pages of free blocks back to the system; their contents are lost.
  void ReleaseHoles();

  bool Contains(const void* pointer) const;
  int64_t capacity_bytes() const { return capacity_bytes_; }
  // Upper bound of free bytes whose pages may still be resident.
  int64_t dirty_free_bytes() const { return dirty_free_bytes_; }

 private:
  struct FreeBlock {
    int64_t bytes;
    // Nothing of it was touched since its pages were last returned.
    bool clean;
  };
  using FreeBlocks = std::map<int64_t, FreeBlock>;

  // What of a free block may be resident: nothing beyond the highest address ever handed out.
  int64_t DirtyBytes(int64_t offset, const FreeBlock& block) const;

  void Insert(int64_t offset, FreeBlock block);
  void Erase(FreeBlocks::iterator block);
  // Takes [offset, offset + bytes) out of `block`, which contains it.
  void* Carve(FreeBlocks::iterator block, int64_t offset, int64_t bytes);

  char* base_ = nullptr;
  int64_t capacity_bytes_ = 0;
  int64_t dirty_free_bytes_ = 0;
  int64_t highest_used_offset_ = 0;
  FreeBlocks free_by_offset_;
  std::set<std::pair<int64_t, int64_t>> free_by_size_;  // (bytes, offset)
};

}  // namespace str::device

#endif  // STR_TF_PLUGIN_DEVICE_VIRTUAL_REGION_H_
