#include "strategies/str/str_planner.h"

#include <memory>
#include <utility>

#include "optimizer/order/orders.h"
#include "strategies/registry.h"
#include "strategies/str/order_contest.h"
#include "strategies/str/problem.h"

namespace str::strategies {
namespace {

// The share of the time limit that is spent on searching; `str plan` proves its gap in the rest.
constexpr double kShareOfSearch = 0.7;

}  // namespace

absl::StatusOr<PlanResult> StrPlanner::Plan(const PlanRequest& request, const ProgressCallback& progress,
                                            const std::atomic<bool>* stop) const {
  if (options_.allow_swap) {
    if (absl::Status status = optimizer::RequireCopyRates(*request.costs); !status.ok()) return status;
  }
  const Limit limit(kShareOfSearch * request.time_limit, stop);
  const absl::StatusOr<std::vector<optimizer::CandidateOrder>> orders =
      optimizer::FindOrders(*request.graph, *request.costs);
  if (!orders.ok()) return orders.status();
  ProblemOptions options;
  options.allow_swap = options_.allow_swap;
  options.allow_recompute = options_.allow_recompute;
  options.peak_bytes = orders->front().peak_bytes;
  options.pins = &request.pins;
  return OrderContest(request, options, *orders, &limit, progress, stop).Run();
}

namespace {

const PlannerRegistration kMixed(std::make_unique<StrPlanner>(StrPlannerOptions{
    "str", "swaps and recomputes, whichever costs less time (default)", true, true}));
const PlannerRegistration kSwapOnly(std::make_unique<StrPlanner>(StrPlannerOptions{
    "swap-only", "swaps, never recomputes", true, false}));
const PlannerRegistration kRecomputeOnly(std::make_unique<StrPlanner>(StrPlannerOptions{
    "recompute-only", "recomputes, never swaps", false, true}));

}  // namespace
}  // namespace str::strategies
