#include "tf_plugin/device/offset_ranges.h"

#include <algorithm>
#include <iterator>

#include "absl/log/check.h"

namespace str::device {

void OffsetRanges::Note(int64_t offset, int64_t bytes) {
  taken_.emplace(offset, bytes);
  highest_end_ = std::max(highest_end_, offset + bytes);
}

std::optional<int64_t> OffsetRanges::Take(int64_t bytes) {
  CHECK_GT(bytes, 0);
  int64_t offset = 0;
  for (const auto& [start, length] : taken_) {
    if (start - offset >= bytes) break;
    offset = start + length;
  }
  if (bytes > capacity_bytes_ - offset) return std::nullopt;
  Note(offset, bytes);
  return offset;
}

bool OffsetRanges::TakeAt(int64_t offset, int64_t bytes) {
  CHECK_GT(bytes, 0);
  if (offset < 0 || bytes > capacity_bytes_ - offset) return false;
  const auto next = taken_.lower_bound(offset);
  if (next != taken_.end() && next->first < offset + bytes) return false;
  if (next != taken_.begin()) {
    const auto previous = std::prev(next);
    if (previous->first + previous->second > offset) return false;
  }
  Note(offset, bytes);
  return true;
}

int64_t OffsetRanges::Give(int64_t offset) {
  const auto range = taken_.find(offset);
  CHECK(range != taken_.end()) << "not taken";
  const int64_t bytes = range->second;
  taken_.erase(range);
  return bytes;
}

}  // namespace str::device
