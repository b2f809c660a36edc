// Which values Chen et al. (2016) checkpoint, as Checkmate's artifact reads them.
#ifndef STR_STRATEGIES_CHECKMATE_CHECKPOINTS_H_
#define STR_STRATEGIES_CHECKMATE_CHECKPOINTS_H_

#include <vector>

#include "strategies/checkmate/passes.h"
#include "strategies/staged/staged_graph.h"

namespace str::strategies {

// Every k-th of them in the order given, where k is the square root of their number, rounded down. Ascending.
std::vector<int> SqrtCheckpoints(const std::vector<int>& candidates);

// Adds up the bytes of all candidates of the passes in order; whenever the sum exceeds `bytes` at one of `candidates`,
// that is a checkpoint and the sum starts anew.
std::vector<int> GreedyCheckpoints(const StagedGraph& staged, const Passes& passes, const std::vector<int>& candidates,
                                   double bytes);

}  // namespace str::strategies

#endif  // STR_STRATEGIES_CHECKMATE_CHECKPOINTS_H_
