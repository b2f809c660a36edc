// What a program needs on a device whose allocator is TensorFlow's own (bfc_model.h), where buffers cannot be placed.
#ifndef STR_OPTIMIZER_PLACEMENT_BFC_REPLAY_H_
#define STR_OPTIMIZER_PLACEMENT_BFC_REPLAY_H_

#include <cstdint>
#include <vector>

#include "optimizer/simulator/simulator.h"

namespace str::optimizer {

// A region of this many bytes is enough: the program's allocations, replayed in it step by step, all succeed. What is
// there before the step, `external_bytes`, fills its start. Not less than the judge's peak with rounded sizes; a
// smaller region may do, where chunks happen to be chosen otherwise.
int64_t BfcRegionBytes(const std::vector<Allocation>& allocations, int64_t external_bytes);

// Whether they succeed in a region of that size, and how high they reach; 0: they do not.
int64_t ReplayInBfc(const std::vector<Allocation>& allocations, int64_t external_bytes, int64_t region_bytes);

}  // namespace str::optimizer

#endif  // STR_OPTIMIZER_PLACEMENT_BFC_REPLAY_H_
