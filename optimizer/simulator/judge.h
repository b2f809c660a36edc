// The one judge of all planners: what a program needs and costs on the whole graph. No planner reports its own numbers.
#ifndef STR_OPTIMIZER_SIMULATOR_JUDGE_H_
#define STR_OPTIMIZER_SIMULATOR_JUDGE_H_

#include "absl/status/statusor.h"
#include "optimizer/cost/costs.h"
#include "optimizer/graph/graph.h"
#include "optimizer/simulator/program.h"
#include "optimizer/simulator/simulator.h"

namespace str::optimizer {

struct Verdict {
  // With profile, allocations and timeline, and in `live` what is held at the peak, largest first.
  Simulation simulation;
  ProgramCounts counts;

  int64_t peak_bytes() const { return simulation.peak_bytes; }
  double seconds() const { return simulation.seconds; }
};

// InvalidArgument naming the step if the program cannot be run or breaks the graph's order; FailedPrecondition if it
// copies at unknown rates.
absl::StatusOr<Verdict> Judge(const Graph& graph, const Costs& costs, const Program& program);

}  // namespace str::optimizer

#endif  // STR_OPTIMIZER_SIMULATOR_JUDGE_H_
