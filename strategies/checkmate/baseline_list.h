// The baselines of Checkmate's paper by name, each with its schedules: what the planners choose from, and what the
// yardstick counts.
#ifndef STR_STRATEGIES_CHECKMATE_BASELINE_LIST_H_
#define STR_STRATEGIES_CHECKMATE_BASELINE_LIST_H_

#include <functional>
#include <string>
#include <vector>

#include "strategies/checkmate/passes.h"
#include "strategies/staged/schedule.h"
#include "strategies/staged/staged_graph.h"

namespace str::strategies {

struct Baseline {
  // Takes what the next schedule holds; false: enough.
  using Visit = std::function<bool(StageMatrix)>;

  // As typed after --strategy=, and one line on it for people.
  std::string name, description;
  // Goes through its schedules of a graph, which do not depend on a budget.
  std::function<void(const StagedGraph&, const Passes&, const Visit&)> visit_schedules;
};

const std::vector<Baseline>& AllBaselines();

}  // namespace str::strategies

#endif  // STR_STRATEGIES_CHECKMATE_BASELINE_LIST_H_
