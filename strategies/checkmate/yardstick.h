// Plans by Checkmate's own evaluator: a second yardstick, to stand beside published figures. It knows values and when
// they are computed and held; neither temporary memory, nor results in the buffer of an input, nor copies to the host.
//
// Its baselines are counted as their authors do: their schedules literally. The judge counts less for the same
// baselines, because it frees a checkpoint after its last use, while the published rules hold it to the end of the
// step.
#ifndef STR_STRATEGIES_CHECKMATE_YARDSTICK_H_
#define STR_STRATEGIES_CHECKMATE_YARDSTICK_H_

#include <cstdint>
#include <optional>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "optimizer/cost/costs.h"
#include "optimizer/graph/graph.h"
#include "optimizer/simulator/program.h"
#include "strategies/staged/schedule.h"

namespace str::strategies {

// Of a program that the judge accepts, with what is always there (parameters and their gradients) once in its peak.
// InvalidArgument naming the step that has no meaning to Checkmate's evaluator.
absl::StatusOr<CheckmateFigures> EvaluateProgramAsCheckmate(const optimizer::Graph& graph,
                                                            const optimizer::Costs& costs,
                                                            const optimizer::Program& program);

// Whether Checkmate defines schedules for the strategy: keep-all and the baselines that checkpoint.
bool HasCheckmateSchedules(absl::string_view strategy);

// The fastest of them within the budget; none if none fits. What is always there is twice in its peak, as in the
// authors' search for the largest batch, which also takes it off the budget. Expects HasCheckmateSchedules.
std::optional<CheckmateFigures> FastestAsCheckmate(absl::string_view strategy, const optimizer::Graph& graph,
                                                   const optimizer::Costs& costs, int64_t budget_bytes);

}  // namespace str::strategies

#endif  // STR_STRATEGIES_CHECKMATE_YARDSTICK_H_
