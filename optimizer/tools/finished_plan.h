// From a planner's program to a strategy file that may be written: judged again, placed, and checked against the graph.
#ifndef STR_OPTIMIZER_TOOLS_FINISHED_PLAN_H_
#define STR_OPTIMIZER_TOOLS_FINISHED_PLAN_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "config/strategy.pb.h"
#include "optimizer/placement/fit.h"
#include "optimizer/tools/inputs.h"
#include "strategies/planner.h"

namespace str::tools {

struct FinishedPlan {
  optimizer::Fit fit;
  config::StrategyFile file;
};

// Internal if the program breaks the planners' contract: above the budget, or refused by a validator. Then nothing may
// be written.
absl::StatusOr<FinishedPlan> FinishPlan(const GraphInput& input, absl::string_view planner,
                                        const strategies::PlanRequest& request, const strategies::PlanResult& result);

}  // namespace str::tools

#endif  // STR_OPTIMIZER_TOOLS_FINISHED_PLAN_H_
