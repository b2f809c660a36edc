#include "optimizer/tools/certificate.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "optimizer/bound/step_bound.h"

namespace str::tools {

absl::Status AddBound(const strategies::Planner& planner, const strategies::PlanRequest& request,
                      absl::Duration time_limit, const strategies::ProgressCallback& progress,
                      const std::atomic<bool>* stop, strategies::PlanResult* result) {
  if (result->program.empty() || result->bound_seconds > 0) return absl::OkStatus();
  optimizer::StepBoundOptions options;
  options.budget_bytes = request.budget_bytes;
  options.copies = planner.copies();
  options.time_limit = std::min(options.time_limit, time_limit);
  options.stop = stop;
  options.progress = progress;
  const absl::StatusOr<optimizer::StepBound> bound =
      optimizer::FindStepBound(*request.graph, *request.costs, optimizer::FirstRuns(result->program), options);
  if (!bound.ok()) return absl::Status(bound.status().code(), absl::StrCat("bound: ", bound.status().message()));
  result->bound_seconds = bound->seconds;
  return absl::OkStatus();
}

}  // namespace str::tools
