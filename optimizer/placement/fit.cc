#include "optimizer/placement/fit.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace str::optimizer {

namespace {

// Of what is enough: packing that misses it by no more is tried once more.
constexpr int64_t kNearMiss = 200;

// Most bytes at once that have no place, external ones included.
int64_t BytesBeside(const Simulation& simulation, const Placement& placement) {
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
  return most_beside;
}

}  // namespace

absl::StatusOr<Fit> FitProgram(const Graph& graph, const Costs& costs, const Program& program, int64_t enough_bytes) {
  absl::StatusOr<Verdict> verdict = Judge(graph, costs, program);
  if (!verdict.ok()) return verdict.status();
  Fit fit;
  fit.verdict = *std::move(verdict);
  const Simulation& simulation = fit.verdict.simulation;
  // What gets a place does not depend on where, so what is left for the arena is known from any placement.
  fit.placement = PlaceAllocations(simulation.allocations, std::numeric_limits<int64_t>::max());
  const int64_t beside = BytesBeside(simulation, fit.placement);
  if (enough_bytes == 0 || beside + fit.placement.arena_bytes > enough_bytes) {
    fit.placement = PlaceAllocations(simulation.allocations, std::max<int64_t>(0, enough_bytes - beside));
  }
  // How buffers are packed depends on how much is enough: a size that was once reached by going as far as it goes is
  // reached again.
  const int64_t missing = beside + fit.placement.arena_bytes - enough_bytes;
  if (enough_bytes > 0 && missing > 0 && missing <= enough_bytes / kNearMiss) {
    Placement again = PlaceAllocations(simulation.allocations, 0);
    if (again.arena_bytes < fit.placement.arena_bytes) fit.placement = std::move(again);
  }
  fit.fit_bytes = beside + fit.placement.arena_bytes;
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
