// The placer: offsets for buffers in one arena that is as small as possible, or small enough.
#ifndef STR_OPTIMIZER_PLACEMENT_PLACER_H_
#define STR_OPTIMIZER_PLACEMENT_PLACER_H_

#include <cstdint>
#include <vector>

#include "optimizer/placement/timed_buffer.h"

namespace str::optimizer {

struct PlacedBuffers {
  // No buffer ends behind it.
  int64_t arena_bytes = 0;
  // Per buffer, from the start of the arena.
  std::vector<int64_t> offsets;
  // Proven: no placement fits the bytes that were enough.
  bool enough_is_impossible = false;
};

// Packs greedily by size, by time held, by both, and by time of allocation, and then again and again with what lay too
// high further to the front. If that does not reach `enough_bytes`, or the highest load where that is more, the search
// of placement_search.h goes on for at most `search_work`: first for that size, then for sizes between it and the
// smallest found. The same for the same input.
PlacedBuffers PlaceBuffers(const std::vector<TimedBuffer>& buffers, int64_t enough_bytes, int64_t search_work);

// Packs each in turn, first the earliest allocated: in one pass.
PlacedBuffers PlaceByTime(const std::vector<TimedBuffer>& buffers);

}  // namespace str::optimizer

#endif  // STR_OPTIMIZER_PLACEMENT_PLACER_H_
