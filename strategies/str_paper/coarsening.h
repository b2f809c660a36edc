// STR's graph coarsening: neighbours in the order are fused, the lightest first, until few enough are left. A fused
// node runs its members one after the other; its value is what others take of theirs.
#ifndef STR_STRATEGIES_STR_PAPER_COARSENING_H_
#define STR_STRATEGIES_STR_PAPER_COARSENING_H_

#include "strategies/staged/staged_graph.h"

namespace str::strategies {

// Nodes that may run again are fused only with each other, so that the forward half stays recomputable; those without
// bytes with any. Nothing is fused that would need more than `most_bytes` to run, with what it takes. Values that stay
// to the end count as there from the start. May end above `most` where nothing is left to fuse.
StagedGraph Coarsen(const StagedGraph& graph, int most, int64_t most_bytes);

}  // namespace str::strategies

#endif  // STR_STRATEGIES_STR_PAPER_COARSENING_H_
