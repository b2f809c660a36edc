// Offsets for a program's buffers in one arena, planned offline so that no memory is lost to fragmentation at run time.
//
// Two buffers that are held during the same step never overlap. Placed is what is large enough to matter and freed
// within the step. Not placed: small buffers; what outlives the step (results, new values of variables), because the
// next step needs the arena again; temporaries, because a node's scratch bytes may be several buffers.
#ifndef STR_OPTIMIZER_PLACEMENT_PLACEMENT_H_
#define STR_OPTIMIZER_PLACEMENT_PLACEMENT_H_

#include <cstdint>
#include <vector>

#include "optimizer/simulator/simulator.h"

namespace str::optimizer {

inline constexpr int64_t kSmallestPlacedBytes = 65536;
inline constexpr int64_t kNotPlaced = -1;

struct Placement {
  // No placed buffer ends behind it.
  int64_t arena_bytes = 0;
  // Per allocation: from the start of the arena, or kNotPlaced.
  std::vector<int64_t> offsets;
};

// By the placer of placer.h. Stops when the arena is at most `enough_bytes`; 0: when it cannot be smaller. The same for
// the same input.
Placement PlaceAllocations(const std::vector<Allocation>& allocations, int64_t enough_bytes = 0);

}  // namespace str::optimizer

#endif  // STR_OPTIMIZER_PLACEMENT_PLACEMENT_H_
