#include "strategies/staged/staged_planning.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "config/text_units.h"
#include "strategies/needs.h"
#include "strategies/staged/schedule.h"

namespace str::strategies {
namespace {

using optimizer::Program;
using optimizer::SolveStatus;

// With a little less memory each time.
constexpr int kRounds = 8;
// Beyond it solvers take gigabytes and look at the clock once in minutes.
constexpr int64_t kMostColumns = 1000000;

}  // namespace

void TellSeconds(const StagedModel& model, optimizer::SolveOptions* options) {
  if (!options->progress) return;
  options->progress = [&model, tell = std::move(options->progress)](double best, double bound) {
    tell(model.Seconds(best), model.Seconds(bound));
  };
}

absl::Status CheckModelSize(const StagedGraph& staged) {
  const int64_t columns = StagedModel::Columns(staged);
  if (columns <= kMostColumns) return absl::OkStatus();
  return absl::FailedPreconditionError(
      absl::StrCat("the model of this graph has about ", columns, " columns, more than the ", kMostColumns,
                   " that a solver can be given; use a strategy without a model, such as str"));
}

absl::StatusOr<PlanResult> PlanByStages(const StagedGraph& staged, const PlanRequest& request,
                                        const ProgressCallback& progress, const std::atomic<bool>* stop,
                                        const StagedSolve& solve) {
  const absl::Time deadline = absl::Now() + request.time_limit;
  const Limit limit(request.time_limit, stop);
  PlanResult result;
  Program keep_all;
  for (int i = 0; i < staged.size(); ++i) AddSteps(*request.graph, staged.node(i), /*first=*/true, &keep_all);
  const absl::StatusOr<Needs> kept = FindNeeds(request, keep_all, request.budget_bytes);
  if (!kept.ok()) return kept.status();
  if (kept->bytes <= request.budget_bytes) {
    result.status = PlanStatus::kOptimal;
    result.program = std::move(keep_all);
    return result;
  }
  int64_t budget = request.budget_bytes - staged.fixed_bytes();
  for (int round = 0; round < kRounds && budget > 0; ++round) {
    // Nothing is left of the time, not even to find out that nothing fits.
    if (limit.Reached()) return result;
    if (absl::Status status = CheckModelSize(staged); !status.ok()) return status;
    optimizer::SolveOptions options;
    options.time_limit = deadline - absl::Now();
    options.stop = stop;
    if (progress) {
      options.progress = [&](double best, double bound) {
        if (std::isfinite(best)) progress(absl::StrFormat("by the model: %.4f s, bound %.4f s", best, bound));
      };
    }
    absl::StatusOr<StagedAttempt> attempt = solve(budget, options);
    if (!attempt.ok()) return attempt.status();
    if (attempt->status == SolveStatus::kNone) return result;
    if (attempt->status == SolveStatus::kInfeasible) break;
    const absl::StatusOr<Needs> needs = FindNeeds(request, attempt->program, request.budget_bytes);
    if (!needs.ok()) return needs.status();
    if (request.host_limit_bytes > 0 && needs->host_peak_bytes > request.host_limit_bytes) break;
    if (needs->bytes <= request.budget_bytes) {
      const bool optimal = round == 0 && attempt->status == SolveStatus::kOptimal;
      result.status = optimal ? PlanStatus::kOptimal : PlanStatus::kFeasible;
      result.program = std::move(attempt->program);
      return result;
    }
    if (progress) {
      progress(absl::StrCat("the model's plan needs ", config::FormatBytes(needs->bytes), " as placed, at its peak ",
                            config::FormatBytes(needs->peak_bytes), "; trying with less memory"));
    }
    // More each time: a rounded solution may not notice a little.
    budget -= (needs->bytes - request.budget_bytes) * (round + 1);
  }
  result.status = PlanStatus::kInfeasible;
  return result;
}

}  // namespace str::strategies
