// Checkmate's baselines as its authors count them: their schedules literally, by Checkmate's own evaluator. A second
// yardstick, to stand beside published figures. The judge counts less for the same baselines, because it frees a
// checkpoint after its last use, while the published rules hold it to the end of the step.
//
// What is always there (parameters and their gradients) is counted twice, as in the authors' search for the largest
// batch: it is in the peak and is also taken off the budget. Their integer model counts it once.
#ifndef STR_STRATEGIES_CHECKMATE_YARDSTICK_H_
#define STR_STRATEGIES_CHECKMATE_YARDSTICK_H_

#include <cstdint>
#include <optional>

#include "absl/strings/string_view.h"
#include "optimizer/cost/costs.h"
#include "optimizer/graph/graph.h"
#include "strategies/staged/schedule.h"

namespace str::strategies {

// Whether Checkmate defines schedules for the strategy: keep-all and the baselines that checkpoint.
bool HasCheckmateSchedules(absl::string_view strategy);

// The fastest of them within the budget, with what is always there twice in its peak; none if none fits. Expects
// HasCheckmateSchedules.
std::optional<CheckmateFigures> FastestAsCheckmate(absl::string_view strategy, const optimizer::Graph& graph,
                                                   const optimizer::Costs& costs, int64_t budget_bytes);

}  // namespace str::strategies

#endif  // STR_STRATEGIES_CHECKMATE_YARDSTICK_H_
