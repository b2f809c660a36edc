#include "optimizer/simulator/judge.h"

#include <algorithm>

#include "optimizer/simulator/program_order.h"

namespace str::optimizer {

absl::StatusOr<Verdict> Judge(const Graph& graph, const Costs& costs, const Program& program) {
  if (absl::Status status = CheckProgramOrder(graph, program); !status.ok()) return status;
  Simulator simulator(&graph, &costs);
  Verdict verdict;
  SimulationDetail detail;
  if (absl::Status status = simulator.Run(program, detail, &verdict.simulation); !status.ok()) return status;
  // The peak's step is known only now; the second run is the same, with an eye on it.
  detail.profile = detail.allocations = detail.timeline = true;
  detail.live_at_step = verdict.simulation.peak_step;
  if (absl::Status status = simulator.Run(program, detail, &verdict.simulation); !status.ok()) return status;
  std::stable_sort(verdict.simulation.live.begin(), verdict.simulation.live.end(),
                   [](const LiveBuffer& a, const LiveBuffer& b) { return a.rounded_bytes > b.rounded_bytes; });
  verdict.counts = Count(graph, program);
  return verdict;
}

}  // namespace str::optimizer
