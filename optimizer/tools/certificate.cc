#include "optimizer/tools/certificate.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/clock.h"
#include "optimizer/bound/leanmix_bound.h"
#include "optimizer/bound/pieces.h"
#include "optimizer/bound/step_bound.h"
#include "optimizer/simulator/judge.h"

namespace str::tools {
namespace {

constexpr double kGapWorthProving = 0.005;
// On two quiet cores this closes the gap of all graphs that the model is for.
constexpr absl::Duration kMostTimeForGap = absl::Seconds(25);
// The same for plans of planners that know no bound: such plans are seldom so good that the gap closes. Nor does it for
// plans with little host memory, as the bound gives them all that they could use.
constexpr absl::Duration kMostTimeForUnbound = absl::Seconds(5);
// For each of the two searches for a better bound for all orders. The relaxed one is there in less.
constexpr absl::Duration kMostTimeForAnyOrder = absl::Seconds(1);

// Where several ops are critical at once, one cut is not enough.
absl::Status CloseGap(const strategies::Planner& planner, const strategies::PlanRequest& request,
                      absl::Duration time_limit, const strategies::ProgressCallback& progress,
                      const std::atomic<bool>* stop, strategies::PlanResult* result) {
  const absl::StatusOr<optimizer::Verdict> verdict = optimizer::Judge(*request.graph, *request.costs, result->program);
  if (!verdict.ok()) return verdict.status();
  const auto gap = [&](double bound) { return verdict->seconds() / bound - 1; };
  // Searching for plans goes further than proving, unless a proof was asked for.
  const double enough = request.gap < planner.default_gap() ? request.gap : std::max(request.gap, kGapWorthProving);
  if (gap(result->bound_seconds) <= enough || time_limit <= absl::ZeroDuration()) return absl::OkStatus();
  optimizer::LeanMixBoundOptions options;
  options.budget_bytes = request.budget_bytes;
  options.copies = planner.copies();
  options.incumbent_seconds = verdict->seconds();
  options.lost_seconds = optimizer::LostSeconds(result->program, verdict->simulation);
  options.enough_seconds = verdict->seconds() / (1 + enough);
  options.time_limit = time_limit;
  options.stop = stop;
  if (progress) {
    options.progress = [&](double bound) {
      progress(absl::StrFormat("best %.6f s, bound %.6f s, gap %.3f %%", verdict->seconds(), bound, 100 * gap(bound)));
    };
  }
  const absl::StatusOr<optimizer::LeanMixBound> bound =
      optimizer::FindLeanMixBound(*request.graph, *request.costs, optimizer::FirstRuns(result->program), options);
  if (!bound.ok()) return absl::Status(bound.status().code(), absl::StrCat("bound: ", bound.status().message()));
  result->bound_seconds = std::max(result->bound_seconds, bound->seconds);
  return absl::OkStatus();
}

optimizer::StepBoundOptions BoundOptions(const strategies::Planner& planner, const strategies::PlanRequest& request,
                                         absl::Duration time_limit, const std::atomic<bool>* stop) {
  optimizer::StepBoundOptions options;
  options.budget_bytes = request.budget_bytes;
  options.copies = planner.copies();
  options.threads = request.threads;
  options.time_limit = std::min(options.time_limit, time_limit);
  options.stop = stop;
  return options;
}

// A plan in another order may be faster than the bound for this one.
absl::Status AddAnyOrderBound(const strategies::Planner& planner, const strategies::PlanRequest& request,
                              absl::Duration time_limit, const std::atomic<bool>* stop,
                              strategies::PlanResult* result) {
  const absl::StatusOr<optimizer::Verdict> verdict = optimizer::Judge(*request.graph, *request.costs, result->program);
  if (!verdict.ok()) return verdict.status();
  optimizer::StepBoundOptions options =
      BoundOptions(planner, request, std::clamp(time_limit, absl::ZeroDuration(), kMostTimeForAnyOrder), stop);
  options.enough_seconds = std::min(result->bound_seconds, verdict->seconds() / (1 + request.gap));
  const absl::StatusOr<double> bound =
      optimizer::FindAnyOrderBound(*request.graph, *request.costs, optimizer::FirstRuns(result->program), options);
  if (!bound.ok()) return absl::Status(bound.status().code(), absl::StrCat("bound: ", bound.status().message()));
  result->any_order_bound_seconds = *bound;
  result->bound_seconds = std::max(result->bound_seconds, *bound);
  return absl::OkStatus();
}

// For the order of the program.
absl::Status AddOrderBound(const strategies::Planner& planner, const strategies::PlanRequest& request,
                           absl::Duration time_limit, const strategies::ProgressCallback& progress,
                           const std::atomic<bool>* stop, strategies::PlanResult* result) {
  if (planner.proves() && result->bound_seconds > 0) return absl::OkStatus();
  const absl::Time start = absl::Now();
  const bool may_close = (planner.bounds() || result->bound_seconds > 0) && request.host_limit_bytes == 0;
  const absl::Duration most = may_close ? kMostTimeForGap : kMostTimeForUnbound;
  if (result->bound_seconds == 0) {
    optimizer::StepBoundOptions options = BoundOptions(planner, request, time_limit, stop);
    options.progress = progress;
    const absl::StatusOr<optimizer::StepBound> bound =
        optimizer::FindStepBound(*request.graph, *request.costs, optimizer::FirstRuns(result->program), options);
    if (!bound.ok()) return absl::Status(bound.status().code(), absl::StrCat("bound: ", bound.status().message()));
    result->bound_seconds = bound->seconds;
  }
  return CloseGap(planner, request, std::min(most, time_limit - (absl::Now() - start)), progress, stop, result);
}

}  // namespace

absl::Status AddBound(const strategies::Planner& planner, const strategies::PlanRequest& request,
                      absl::Duration time_limit, const strategies::ProgressCallback& progress,
                      const std::atomic<bool>* stop, strategies::PlanResult* result) {
  if (result->program.empty()) return absl::OkStatus();
  const absl::Time start = absl::Now();
  absl::Status status = AddOrderBound(planner, request, time_limit, progress, stop, result);
  if (!status.ok()) return status;
  return AddAnyOrderBound(planner, request, time_limit - (absl::Now() - start), stop, result);
}

}  // namespace str::tools
