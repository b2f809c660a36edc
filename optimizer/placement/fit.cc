#include "optimizer/placement/fit.h"

#include <algorithm>
#include <utility>

namespace str::optimizer {

int64_t FitBytes(const Simulation& simulation, const Placement& placement) {
  const size_t steps = simulation.profile.size();
  std::vector<int64_t> placed_change(steps + 1, 0);
  for (size_t i = 0; i < simulation.allocations.size(); ++i) {
    if (placement.offsets[i] == kNotPlaced) continue;
    const Allocation& allocation = simulation.allocations[i];
    placed_change[allocation.first_step] += allocation.rounded_bytes;
    placed_change[allocation.last_step + 1] -= allocation.rounded_bytes;
  }
  int64_t placed = 0, most_beside = 0;
  for (size_t step = 0; step < steps; ++step) {
    placed += placed_change[step];
    most_beside = std::max(most_beside, simulation.profile[step] - placed);
  }
  return most_beside + placement.arena_bytes;
}

absl::StatusOr<Fit> FitProgram(const Graph& graph, const Costs& costs, const Program& program) {
  absl::StatusOr<Verdict> verdict = Judge(graph, costs, program);
  if (!verdict.ok()) return verdict.status();
  Fit fit;
  fit.verdict = *std::move(verdict);
  fit.placement = PlaceAllocations(fit.verdict.simulation.allocations);
  fit.fit_bytes = FitBytes(fit.verdict.simulation, fit.placement);
  return fit;
}

void WritePlaces(const Fit& fit, config::StrategyFile* strategy) {
  strategy->set_arena_bytes(fit.placement.arena_bytes);
  for (size_t i = 0; i < fit.placement.offsets.size(); ++i) {
    if (fit.placement.offsets[i] == kNotPlaced) continue;
    const Allocation& allocation = fit.verdict.simulation.allocations[i];
    config::Place* place = strategy->mutable_step(allocation.first_step)->add_place();
    place->set_bytes(allocation.rounded_bytes);
    place->set_offset(fit.placement.offsets[i]);
  }
}

}  // namespace str::optimizer
