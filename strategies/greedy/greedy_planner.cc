#include "strategies/greedy/greedy_planner.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "config/text_units.h"
#include "optimizer/order/orders.h"
#include "optimizer/placement/fit.h"
#include "strategies/greedy/least_memory.h"
#include "strategies/greedy/problem.h"
#include "strategies/greedy/search.h"
#include "strategies/registry.h"

namespace str::strategies {
namespace {

using optimizer::Fit;
using optimizer::Program;

// Rounds of planning with a tighter budget, because the buffers of the plan so far could not be placed within it.
constexpr int kPlacementRounds = 6;
constexpr int kPolishRounds = 60;
// Of the memory that the step may use: up to where copies are hidden if all of it cannot be placed.
constexpr double kRelaxedShares[] = {0.97, 0.93, 0.88, 0.8, 0.65, 0};

// Plans for one order of the nodes.
class OrderPlanner {
 public:
  OrderPlanner(const PlanRequest& request, const ProblemOptions& options, const optimizer::CandidateOrder& order,
               const Limit* limit, const ProgressCallback& progress)
      : request_(request),
        limit_(*limit),
        progress_(progress),
        problem_(request.graph, request.costs, order.nodes, options),
        search_(&problem_, limit, request.host_limit_bytes, request.seed) {}

  absl::Status FindLeast() {
    absl::StatusOr<LeastMemory> least = FindLeastMemory(problem_, &search_, request_.host_limit_bytes);
    if (!least.ok()) return least.status();
    least_ = *std::move(least);
    return absl::OkStatus();
  }

  const LeastMemory& least() const { return least_; }

  // Expects that the budget is at least what the least memory plan needs, which is the plan if nothing better is found.
  absl::Status Plan() {
    if (absl::Status status = Consider(least_.program).status(); !status.ok()) return status;
    const double slowest = best_seconds_;
    Decisions keep(problem_.units().size(), Mode::kKeep);
    if (absl::Status status = PlanFrom(std::move(keep)); !status.ok()) return status;
    // What the greedy misses can still be reached from below.
    return best_seconds_ < slowest ? absl::OkStatus() : PlanFrom(least_.decisions);
  }

  const Program& program() const { return best_; }

 private:
  absl::Status PlanFrom(Decisions decisions) {
    int64_t budget = request_.budget_bytes;
    for (int round = 0; round < kPlacementRounds && !limit_.Reached(); ++round) {
      if (!search_.Reduce(budget, &decisions)) return absl::OkStatus();
      search_.CleanUp(budget, &decisions);
      absl::StatusOr<int64_t> fit_bytes = Consider(decisions, budget);
      if (!fit_bytes.ok()) return fit_bytes.status();
      if (*fit_bytes <= request_.budget_bytes) {
        if (!search_.Polish(budget, kPolishRounds, &decisions)) return absl::OkStatus();
        return Consider(decisions, budget).status();
      }
      if (absl::Status status = ConsiderTighter(decisions, budget); !status.ok()) return status;
      if (budget <= least_.peak_bytes) return absl::OkStatus();
      budget = std::max(least_.peak_bytes, budget - (*fit_bytes - request_.budget_bytes));
    }
    return absl::OkStatus();
  }

  // Takes the decisions' program under `budget` if it fits as placed and is faster than the one so far. Returns what it
  // needs.
  absl::StatusOr<int64_t> Consider(const Decisions& decisions, int64_t budget) {
    search_.evaluator().Evaluate(decisions, budget);
    return Consider(search_.evaluator().program());
  }

  // The same decisions with copies hidden only where memory is low: less to hide behind, but easier to place.
  absl::Status ConsiderTighter(const Decisions& decisions, int64_t budget) {
    const int64_t external = problem_.graph().external_bytes();
    for (const double share : kRelaxedShares) {
      Evaluation evaluation = search_.evaluator().EvaluateMemory(decisions, budget);
      const int64_t relaxed_budget = external + static_cast<int64_t>(share * static_cast<double>(budget - external));
      search_.evaluator().EvaluateTime(relaxed_budget, &evaluation);
      if (!best_.empty() && evaluation.seconds >= best_seconds_) return absl::OkStatus();
      const absl::StatusOr<int64_t> fit_bytes = Consider(search_.evaluator().program());
      if (!fit_bytes.ok()) return fit_bytes.status();
      if (*fit_bytes <= request_.budget_bytes) return absl::OkStatus();
    }
    return absl::OkStatus();
  }

  absl::StatusOr<int64_t> Consider(const Program& program) {
    const absl::StatusOr<Fit> fit =
        optimizer::FitProgram(problem_.graph(), problem_.costs(), program, request_.budget_bytes);
    if (!fit.ok()) return fit.status();
    const bool fits = fit->fit_bytes <= request_.budget_bytes;
    if (!fits || (!best_.empty() && fit->verdict.seconds() >= best_seconds_)) return fit->fit_bytes;
    best_ = program;
    best_seconds_ = fit->verdict.seconds();
    if (progress_) progress_(absl::StrFormat("best plan so far: %.4f s", best_seconds_));
    return fit->fit_bytes;
  }

  const PlanRequest& request_;
  const Limit& limit_;
  const ProgressCallback& progress_;
  const Problem problem_;
  Search search_;
  LeastMemory least_;
  Program best_;
  double best_seconds_ = 0;
};

}  // namespace

absl::StatusOr<PlanResult> GreedyPlanner::Plan(const PlanRequest& request, const ProgressCallback& progress,
                                               const std::atomic<bool>* stop) const {
  if (options_.allow_swap) {
    if (absl::Status status = optimizer::RequireCopyRates(*request.costs); !status.ok()) return status;
  }
  const Limit limit(request.time_limit, stop);
  const absl::StatusOr<std::vector<optimizer::CandidateOrder>> orders =
      optimizer::FindOrders(*request.graph, *request.costs);
  if (!orders.ok()) return orders.status();
  ProblemOptions options;
  options.allow_swap = options_.allow_swap;
  options.allow_recompute = options_.allow_recompute;
  options.peak_bytes = orders->front().peak_bytes;
  options.pins = &request.pins;

  PlanResult result;
  result.status = PlanStatus::kInfeasible;
  std::unique_ptr<OrderPlanner> chosen;
  for (const optimizer::CandidateOrder& order : *orders) {
    auto planner = std::make_unique<OrderPlanner>(request, options, order, &limit, progress);
    if (absl::Status status = planner->FindLeast(); !status.ok()) return status;
    const LeastMemory& least = planner->least();
    if (progress) {
      progress(absl::StrCat(order.name, " order needs ", config::FormatBytes(order.peak_bytes),
                            " with everything kept, at least ", config::FormatBytes(least.fit_bytes)));
    }
    if (result.min_budget_bytes == 0 || least.fit_bytes < result.min_budget_bytes) {
      result.min_budget_bytes = least.fit_bytes;
      result.least_memory_program = least.program;
    }
    if (least.fit_bytes > request.budget_bytes) continue;
    chosen = std::move(planner);
    break;
  }
  if (chosen == nullptr) {
    if (limit.Reached()) result.status = PlanStatus::kLimit;
    return result;
  }
  if (absl::Status status = chosen->Plan(); !status.ok()) return status;
  result.status = PlanStatus::kFeasible;
  result.program = chosen->program();
  return result;
}

namespace {

const PlannerRegistration kMixed(std::make_unique<GreedyPlanner>(GreedyOptions{
    "str", "swaps and recomputes, whichever costs less time (default)", true, true}));
const PlannerRegistration kSwapOnly(std::make_unique<GreedyPlanner>(GreedyOptions{
    "swap-only", "swaps, never recomputes", true, false}));
const PlannerRegistration kRecomputeOnly(std::make_unique<GreedyPlanner>(GreedyOptions{
    "recompute-only", "recomputes, never swaps", false, true}));

}  // namespace
}  // namespace str::strategies
