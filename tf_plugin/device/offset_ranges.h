// File: offset_ranges.h
//
// Which parts of a block of memory are taken, by offset: for memory that the host cannot or need not touch to keep
// account of it. Not thread-safe: the owner locks.
#ifndef STR_TF_PLUGIN_DEVICE_OFFSET_RANGES_H_
#define STR_TF_PLUGIN_DEVICE_OFFSET_RANGES_H_

#include <cstdint>
#include <map>
#include <optional>

namespace str::device {

class OffsetRanges {
 public:
  explicit OffsetRanges(int64_t capacity_bytes) : capacity_bytes_(capacity_bytes) {}

  // Lowest offset at which `bytes` are free; none if there is no such gap. REQUIRES: bytes > 0.
  std::optional<int64_t> Take(int64_t bytes);
  // Takes [offset, offset + bytes) if it is free and within the capacity. REQUIRES: bytes > 0.
  bool TakeAt(int64_t offset, int64_t bytes);
  // `offset` as taken. Returns the bytes that were.
  int64_t Give(int64_t offset);

  bool empty() const { return taken_.empty(); }
  int64_t capacity_bytes() const { return capacity_bytes_; }
  // Where the highest range ever taken ended.
  int64_t highest_end() const { return highest_end_; }

 private:
  void Note(int64_t offset, int64_t bytes);

  int64_t capacity_bytes_;
  int64_t highest_end_ = 0;
  std::map<int64_t, int64_t> taken_;  // offset -> bytes
};

}  // namespace str::device

#endif  // STR_TF_PLUGIN_DEVICE_OFFSET_RANGES_H_
