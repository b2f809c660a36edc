// Where a swapped tensor lies between its uses.
#ifndef STR_OPTIMIZER_COST_TIER_H_
#define STR_OPTIMIZER_COST_TIER_H_

#include <cstdint>

namespace str::optimizer {

enum class Tier : int8_t { kHost, kDisk };

}  // namespace str::optimizer

#endif  // STR_OPTIMIZER_COST_TIER_H_
