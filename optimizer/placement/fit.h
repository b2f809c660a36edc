// Whether a program fits a budget when its buffers are placed, not only counted.
#ifndef STR_OPTIMIZER_PLACEMENT_FIT_H_
#define STR_OPTIMIZER_PLACEMENT_FIT_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "config/strategy.pb.h"
#include "optimizer/cost/costs.h"
#include "optimizer/graph/graph.h"
#include "optimizer/placement/placement.h"
#include "optimizer/simulator/judge.h"
#include "optimizer/simulator/program.h"

namespace str::optimizer {

struct Fit {
  Verdict verdict;
  Placement placement;
  // What the program needs: the whole arena, and beside it the most bytes that are not placed, external ones included.
  // Never less than the judge's peak.
  int64_t fit_bytes = 0;
};

// Judges and places. Fails where the judge does. Placing is improved only until the program fits `enough_bytes`; 0: as
// far as it goes.
absl::StatusOr<Fit> FitProgram(const Graph& graph, const Costs& costs, const Program& program,
                               int64_t enough_bytes = 0);

// Adds the places to the steps of `strategy`, which must be those of the program that was placed.
void WritePlaces(const Fit& fit, config::StrategyFile* strategy);

}  // namespace str::optimizer

#endif  // STR_OPTIMIZER_PLACEMENT_FIT_H_
