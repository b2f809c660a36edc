// How far from the best a plan can be at most: adds the proven bound to what a planner returned.
#ifndef STR_OPTIMIZER_TOOLS_CERTIFICATE_H_
#define STR_OPTIMIZER_TOOLS_CERTIFICATE_H_

#include <atomic>

#include "absl/status/status.h"
#include "strategies/planner.h"

namespace str::tools {

// If there is a program: sets bound_seconds for its order, unless the planner gave a bound, and
// any_order_bound_seconds. Takes seconds at most, and no longer than `time_limit` allows.
absl::Status AddBound(const strategies::Planner& planner, const strategies::PlanRequest& request,
                      absl::Duration time_limit, const strategies::ProgressCallback& progress,
                      const std::atomic<bool>* stop, strategies::PlanResult* result);

}  // namespace str::tools

#endif  // STR_OPTIMIZER_TOOLS_CERTIFICATE_H_
