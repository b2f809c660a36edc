#include "optimizer/sweep/plan_point.h"

#include "absl/time/clock.h"
#include "config/digest.h"
#include "optimizer/tools/finished_plan.h"
#include "optimizer/tools/json.h"

namespace str::tools {

using strategies::PlanStatus;

absl::string_view StatusName(PlanStatus status) {
  switch (status) {
    case PlanStatus::kOptimal:
      return "optimal";
    case PlanStatus::kFeasible:
      return "feasible";
    case PlanStatus::kInfeasible:
      return "infeasible";
    case PlanStatus::kLimit:
      return "limit";
  }
  return "";
}

strategies::PlanRequest MakeRequest(const GraphInput& input, int64_t budget_bytes) {
  strategies::PlanRequest request;
  request.graph = &input.graph;
  request.costs = &input.costs;
  request.budget_bytes = budget_bytes;
  request.placed = !input.file.tensorflow_version().empty();
  return request;
}

std::string ContentsOf(const GraphInput& input) {
  config::Digest digest;
  digest.Add(input.file.SerializeAsString());
  for (const double seconds : input.costs.node_seconds) digest.Add(JsonNumber(seconds));
  digest.Add(JsonNumber(input.costs.CopyOutSeconds(1)));
  digest.Add(JsonNumber(input.costs.CopyInSeconds(1)));
  return digest.Hex();
}

PointResult PlanPoint(const GraphInput& input, const strategies::Planner& planner,
                      const strategies::PlanRequest& request, const std::atomic<bool>* stop) {
  const absl::Time start = absl::Now();
  PointResult point{ResultRow(input, planner.name(), "error", request.budget_bytes), ""};
  ResultRow& row = point.row;
  row.seed = static_cast<int64_t>(request.seed);
  const absl::StatusOr<strategies::PlanResult> result = planner.Plan(request, nullptr, stop);
  row.plan_seconds = row.planner_seconds = absl::ToDoubleSeconds(absl::Now() - start);
  if (!result.ok()) {
    point.error = std::string(result.status().message());
    return point;
  }
  row.status = std::string(StatusName(result->status));
  if (result->min_budget_bytes > 0) row.min_budget_bytes = result->min_budget_bytes;
  if (result->bound_seconds > 0) row.bound_seconds = result->bound_seconds;
  row.bound_copies = planner.copies();
  if (!result->solver.empty()) row.solver = result->solver;
  if (result->program.empty()) return point;
  const absl::StatusOr<FinishedPlan> plan = FinishPlan(input, planner.name(), request, *result);
  if (!plan.ok()) {
    row.status = "error";
    point.error = std::string(plan.status().message());
    return point;
  }
  row.SetProgram(plan->fit, plan->file, input.graph);
  return point;
}

}  // namespace str::tools
