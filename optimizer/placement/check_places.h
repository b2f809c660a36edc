// Whether the places of a strategy file hold what its steps allocate, without two buffers in one place at one time.
#ifndef STR_OPTIMIZER_PLACEMENT_CHECK_PLACES_H_
#define STR_OPTIMIZER_PLACEMENT_CHECK_PLACES_H_

#include "absl/status/status.h"
#include "config/strategy.pb.h"
#include "optimizer/graph/graph.h"
#include "optimizer/simulator/program.h"
#include "optimizer/simulator/simulator.h"

namespace str::optimizer {

// `simulation` must have allocations and be of `program`, the program of `strategy`. A step's n-th place of a size
// belongs to its n-th allocation of that size. InvalidArgument naming the steps.
absl::Status CheckPlaces(const Graph& graph, const Program& program, const Simulation& simulation,
                         const config::StrategyFile& strategy);

}  // namespace str::optimizer

#endif  // STR_OPTIMIZER_PLACEMENT_CHECK_PLACES_H_
