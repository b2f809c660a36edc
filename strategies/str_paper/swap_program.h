// A schedule with copies as a program.
#ifndef STR_STRATEGIES_STR_PAPER_SWAP_PROGRAM_H_
#define STR_STRATEGIES_STR_PAPER_SWAP_PROGRAM_H_

#include "optimizer/graph/graph.h"
#include "optimizer/simulator/program.h"
#include "strategies/staged/schedule.h"
#include "strategies/staged/staged_graph.h"
#include "strategies/str_paper/swap_columns.h"

namespace str::strategies {

struct SwapSchedule {
  // In memory when the stage starts.
  StageMatrix held;
  // A copy to the host, or back, starts in the stage.
  StageMatrix out, in;
};

// Starts copies at the start of their stages. A value is let go after its last use before it is dropped, but not before
// the stage in which its copy should be complete. Copies of no use are left out: back if the value is not held after
// them or was there anyway, out if nothing comes back; and so are reruns that nobody takes.
optimizer::Program SwapProgram(const optimizer::Graph& graph, const StagedGraph& staged, const SwapTables& tables,
                               const SwapSchedule& schedule);

}  // namespace str::strategies

#endif  // STR_STRATEGIES_STR_PAPER_SWAP_PROGRAM_H_
