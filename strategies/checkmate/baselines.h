// The schedules of Checkmate's baselines: what each of them holds, for one graph.
#ifndef STR_STRATEGIES_CHECKMATE_BASELINES_H_
#define STR_STRATEGIES_CHECKMATE_BASELINES_H_

#include <functional>
#include <vector>

#include "strategies/checkmate/passes.h"
#include "strategies/staged/schedule.h"
#include "strategies/staged/staged_graph.h"

namespace str::strategies {

// Where checkpoints may be: at articulation points only, or anywhere.
enum class Checkpoints { kArticulationPoints, kAnywhere };

// The schedule of what is held, by Checkmate's rules: without regard to what may not run again.
Schedule ScheduleOf(const StagedGraph& staged, StageMatrix held);

Schedule ChenSqrt(const StagedGraph& staged, const Passes& passes, Checkpoints where);

// The checkpoint sets of the published sweep, each once: from no bytes between checkpoints to three times the peak of
// ChenSqrt anywhere, in hundredths of it.
std::vector<std::vector<int>> ChenGreedySweep(const StagedGraph& staged, const Passes& passes, Checkpoints where);

// The numbers of snapshots worth trying with so many articulation points: all small ones, then every twentieth part
// more.
std::vector<int> SnapshotCounts(int points);

}  // namespace str::strategies

#endif  // STR_STRATEGIES_CHECKMATE_BASELINES_H_
