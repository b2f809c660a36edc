// What the baselines hold in each stage (S in Checkmate's terms). What has to be computed for it follows:
// LeastComputed in strategies/staged/schedule.h.
//
// The rules are those of Checkmate's artifact branch; on its public master branch every checkpointing baseline keeps
// everything.
#ifndef STR_STRATEGIES_CHECKMATE_RETENTION_H_
#define STR_STRATEGIES_CHECKMATE_RETENTION_H_

#include <vector>

#include "strategies/checkmate/passes.h"
#include "strategies/staged/schedule.h"
#include "strategies/staged/staged_graph.h"

namespace str::strategies {

// Checkpoints (ascending) cut the forward pass into segments, each of which starts with one. Held are:
//  - gradients until they are used,
//  - the inputs of a stage's node when it starts,
//  - checkpoints from then on,
//  - of the segment that a stage belongs to, forwards or backwards, all values that there are, gradients too.
StageMatrix HoldCheckpoints(const StagedGraph& staged, const Passes& passes, const std::vector<int>& checkpoints);

// Only the value before. In graphs that are not mirrored, where an op is less than a layer, also what is used within
// its own pass until then; what the backward pass takes of the forward pass is made again each time.
StageMatrix HoldLast(const StagedGraph& staged, const Passes& passes);

// The value before, gradients until they are used, and as many articulation points at once as there are `snapshots`,
// by the optimal schedule for reversing a chain (revolve.h). Between two articulation points all values are held once
// the first gradient there was run.
StageMatrix HoldByRevolve(const StagedGraph& staged, const Passes& passes, int snapshots);

// Changes what is held so that a program can be made of it: what may not run again stays, and so does what is `kept` by
// position; views come and go with what they view. Where everything may run again and nothing is kept, nothing changes.
void MakeRunnable(const StagedGraph& staged, const std::vector<bool>& kept, StageMatrix* held);

}  // namespace str::strategies

#endif  // STR_STRATEGIES_CHECKMATE_RETENTION_H_
