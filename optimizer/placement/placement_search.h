// Looks for offsets of buffers below a given capacity: depth-first, exact if it is given enough work.
//
// Buffers are placed in the order of their offsets, lowest first, each directly above the buffers that were placed
// before it and are held at the same time. Every placement that cannot be pushed further down is found that way. A
// branch ends as soon as some moment has more bytes left to place than room above the lowest offset that any of them
// can still get. Buffers that nothing unplaced connects in time are solved separately; a state that failed once is not
// tried twice. The search is restarted with other orders of candidates: by load, time held, size, and by what caused
// failures so far.
//
// The ideas are those published for MiniMalloc (Moffitt) and TelaMalloc (Maas et al.).
#ifndef STR_OPTIMIZER_PLACEMENT_PLACEMENT_SEARCH_H_
#define STR_OPTIMIZER_PLACEMENT_PLACEMENT_SEARCH_H_

#include <cstdint>
#include <vector>

#include "optimizer/placement/timed_buffer.h"

namespace str::optimizer {

struct SearchResult {
  enum Outcome { kFound, kImpossible, kLimit };
  Outcome outcome = kLimit;
  // Per buffer, if found.
  std::vector<int64_t> offsets;
  // Buffers and moments looked at; what the limit counts.
  int64_t work = 0;
};

// Gives up after `work_limit`, a count and never a clock: the same result for the same input on any machine. A unit of
// work takes about 10 nanoseconds. kImpossible is proven. More than 4,000 buffers are kLimit at once: each
// level of the search holds a list of what is left.
SearchResult SearchPlaces(const std::vector<TimedBuffer>& buffers, int64_t capacity_bytes, int64_t work_limit);

}  // namespace str::optimizer

#endif  // STR_OPTIMIZER_PLACEMENT_PLACEMENT_SEARCH_H_
