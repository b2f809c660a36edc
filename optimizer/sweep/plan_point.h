// One point of a sweep: a planner's plan for one budget, judged, as a row of figures.
#ifndef STR_OPTIMIZER_SWEEP_PLAN_POINT_H_
#define STR_OPTIMIZER_SWEEP_PLAN_POINT_H_

#include <atomic>
#include <string>

#include "optimizer/tools/inputs.h"
#include "optimizer/tools/result_row.h"
#include "strategies/planner.h"

namespace str::tools {

struct PointResult {
  ResultRow row;
  // Why this planner cannot plan such a graph at all; row.status is "error" then. Others may.
  std::string error;
};

// What all commands ask alike: graphs that will be run must be placed, those from elsewhere are compared with the
// literature, which counts bytes without placing them. `input` must outlive it.
strategies::PlanRequest MakeRequest(const GraphInput& input, int64_t budget_bytes);

// 16 hex digits over all that a plan depends on: the graph file, the times and the copy rates. Two inputs with the same
// digits give the same rows.
std::string ContentsOf(const GraphInput& input);

// `request` holds the graph and the costs of `input`. The bound is the planner's own: none is proven for others.
PointResult PlanPoint(const GraphInput& input, const strategies::Planner& planner,
                      const strategies::PlanRequest& request, const std::atomic<bool>* stop);

// As JSON and tables name it.
absl::string_view StatusName(strategies::PlanStatus status);

}  // namespace str::tools

#endif  // STR_OPTIMIZER_SWEEP_PLAN_POINT_H_
