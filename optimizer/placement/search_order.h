// Orders in which the placement search tries buffers that could go to the same offset.
#ifndef STR_OPTIMIZER_PLACEMENT_SEARCH_ORDER_H_
#define STR_OPTIMIZER_PLACEMENT_SEARCH_ORDER_H_

#include <cstdint>
#include <vector>

namespace str::optimizer {

// What orders look at; each is positive, and more of it means earlier.
struct BufferTraits {
  // The most bytes held at once while the buffer is held.
  double load = 1;
  double steps_held = 1;
  double sections_held = 1;
  double bytes = 1;
};

// The rank of each buffer, 0 first, in the search's `round`-th start. `failures` counts from 1 how often a buffer was
// left over in a dead end. The first rounds are fixed preferences, without failures and then with failures before
// everything else; later rounds weigh all traits at random, and every fourth is a fixed preference again. The same for
// the same round.
std::vector<int32_t> RankBuffers(const std::vector<BufferTraits>& traits, const std::vector<double>& failures,
                                 int64_t round);

}  // namespace str::optimizer

#endif  // STR_OPTIMIZER_PLACEMENT_SEARCH_ORDER_H_
