#include "optimizer/tools/plan_graph.h"

#include <cstdlib>
#include <optional>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "absl/time/clock.h"
#include "config/strategy_io.h"
#include "config/text_units.h"
#include "optimizer/simulator/judge.h"
#include "optimizer/sweep/plan_point.h"
#include "optimizer/tools/certificate.h"
#include "optimizer/tools/command.h"
#include "optimizer/tools/finished_plan.h"
#include "optimizer/tools/infeasible_text.h"
#include "optimizer/tools/inputs.h"
#include "optimizer/tools/interrupt.h"
#include "optimizer/tools/lists.h"
#include "optimizer/tools/pins.h"
#include "optimizer/tools/tier_limits.h"
#include "strategies/tiers.h"

namespace str::tools {
namespace {

using strategies::PlanStatus;

// A share such as "2%" or "2".
absl::StatusOr<double> ParseGap(const std::string& text, double by_default) {
  if (text.empty()) return by_default;
  double percent = 0;
  if (!absl::SimpleAtod(absl::StripSuffix(text, "%"), &percent) || !(percent >= 0 && percent <= 100)) {
    return absl::InvalidArgumentError(absl::StrCat("--gap: \"", text, "\" is no share; write it like 2%"));
  }
  return percent / 100;
}

absl::StatusOr<strategies::PlanRequest> ParseRequest(const PlanOptions& options, const strategies::Planner& planner,
                                                     const GraphInput& input) {
  const absl::StatusOr<int64_t> budget = ParseBudget("--budget", options.budget, input.baseline_peak_bytes);
  if (!budget.ok()) return budget.status();
  strategies::PlanRequest request = MakeRequest(input, *budget);
  request.seed = options.seed;
  request.threads = options.threads;
  if (options.solver == "gurobi") request.solver = optimizer::SolverKind::kGurobi;
  absl::Status tiers = SetTierLimits(options.host_limit, options.disk_limit, input, &request);
  if (!tiers.ok()) return tiers;
  const absl::StatusOr<double> gap = ParseGap(options.gap, planner.default_gap());
  if (!gap.ok()) return gap.status();
  request.gap = *gap;
  if (!options.time_limit.empty()) {
    const absl::StatusOr<absl::Duration> limit = ParseTimeLimit(options.time_limit);
    if (!limit.ok()) return limit.status();
    request.time_limit = *limit;
  }
  absl::StatusOr<std::vector<strategies::Pin>> pins = ParsePins(options.pins, input.graph);
  if (!pins.ok()) return pins.status();
  request.pins = *std::move(pins);
  return request;
}

// Says what has no effect, so that nobody waits for it or counts on it.
void SayUnused(const PlanOptions& options, const strategies::Planner& planner, const strategies::PlanRequest& request,
               const strategies::PlanResult& result) {
  if (!options.disk_limit.empty() && !planner.copies()) {
    std::fprintf(stderr, "str: strategy %s swaps nothing, so --disk-limit has no effect\n", options.strategy.c_str());
  } else if (!options.disk_limit.empty() && request.host_limit_bytes == 0) {
    std::fputs(
        "str: nothing limits what swapped tensors take of the host, so --disk-limit has no effect; --host-limit does\n",
        stderr);
  }
  if (!options.solver.empty() && result.solver.empty()) {
    std::fprintf(stderr, "str: strategy %s uses no solver, so --solver has no effect\n", options.strategy.c_str());
  }
}

// A plan for a budget that everything fits is no mistake, but nobody needs to train with it.
void SayIfEverythingFits(const ResultRow& row) {
  if (row.budget_bytes < row.baseline_peak_bytes || row.swapped_tensors != 0 || row.recomputed_nodes != 0) return;
  std::fprintf(stderr,
               "str: everything fits: the step takes %s with everything kept, so that no plan is needed for this "
               "budget; the one written keeps everything\n",
               config::FormatBytes(row.baseline_peak_bytes).c_str());
}

ResultRow RowOf(const PlanOptions& options, const GraphInput& input, const strategies::Planner& planner,
                const strategies::PlanRequest& request, const strategies::PlanResult& result) {
  ResultRow row(input, options.strategy, StatusName(result.status), request.budget_bytes);
  row.budget_text = options.budget;
  row.seed = static_cast<int64_t>(options.seed);
  if (result.min_budget_bytes > 0) row.min_budget_bytes = result.min_budget_bytes;
  if (result.bound_seconds > 0) row.bound_seconds = result.bound_seconds;
  if (result.any_order_bound_seconds > 0) row.any_order_bound_seconds = result.any_order_bound_seconds;
  row.bound_copies = planner.copies();
  if (!result.solver.empty()) row.solver = result.solver;
  return row;
}

// Says why no plan fits; where the peak is, if the planner knows.
absl::StatusOr<std::optional<Bottleneck>> SayInfeasible(const PlanOptions& options, const GraphInput& input,
                                                        const strategies::PlanRequest& request,
                                                        const strategies::PlanResult& result) {
  if (result.min_budget_bytes == 0) {
    std::fputs(InfeasibleText(options.strategy, request.budget_bytes).c_str(), stderr);
    return std::nullopt;
  }
  const absl::StatusOr<optimizer::Verdict> verdict =
      optimizer::Judge(input.graph, input.costs, result.least_memory_program);
  if (!verdict.ok()) return verdict.status();
  const Bottleneck bottleneck =
      FindBottleneck(input.graph, result.least_memory_program, *verdict, result.min_budget_bytes);
  std::fputs(InfeasibleText(options.strategy, request.budget_bytes, result.min_budget_bytes, bottleneck).c_str(),
             stderr);
  return bottleneck;
}

}  // namespace

absl::StatusOr<PlanOutcome> PlanGraph(const PlanOptions& options, const std::string& graph, const std::string& output,
                                      const std::string& prefix) {
  const absl::StatusOr<const strategies::Planner*> found = FindStrategy("--strategy", options.strategy);
  if (!found.ok()) return found.status();
  const strategies::Planner* const planner = *found;
  const absl::StatusOr<GraphInput> input = ReadGraphInput(graph, options.cost_unit, options.device);
  if (!input.ok()) return input.status();
  const absl::StatusOr<strategies::PlanRequest> request = ParseRequest(options, *planner, *input);
  if (!request.ok()) return request.status();

  const absl::Time start = absl::Now();
  const auto progress = [&](absl::string_view line) {
    std::fprintf(stderr, "str: %s%.3f s: %s\n", prefix.c_str(), absl::ToDoubleSeconds(absl::Now() - start),
                 std::string(line).c_str());
  };
  absl::StatusOr<strategies::PlanResult> result =
      strategies::PlanWithTiers(*planner, *request, progress, &StopRequested());
  if (!result.ok()) return result.status();
  const double planner_seconds = absl::ToDoubleSeconds(absl::Now() - start);
  absl::Status certified =
      AddBound(*planner, *request, request->time_limit - (absl::Now() - start), progress, &StopRequested(), &*result);
  if (!certified.ok()) return certified;
  SayUnused(options, *planner, *request, *result);

  PlanOutcome outcome{RowOf(options, *input, *planner, *request, *result), input->file.fingerprint(), kExitDone, {}};
  outcome.row.planner_seconds = planner_seconds;
  outcome.row.plan_seconds = absl::ToDoubleSeconds(absl::Now() - start);
  std::optional<Bottleneck> bottleneck;
  if (result->status == PlanStatus::kInfeasible) {
    absl::StatusOr<std::optional<Bottleneck>> said = SayInfeasible(options, *input, *request, *result);
    if (!said.ok()) return said.status();
    bottleneck = *std::move(said);
    outcome.exit_code = kExitInfeasible;
  } else if (result->status == PlanStatus::kLimit) {
    std::fputs("STR-1002: the limit was reached before a plan was found; give it more time with --time-limit\n",
               stderr);
    outcome.exit_code = kExitLimit;
  } else {
    if (absl::Status status = CheckPins(input->graph, result->program, request->pins); !status.ok()) return status;
    const absl::StatusOr<FinishedPlan> plan = FinishPlan(*input, options.strategy, *request, *result);
    if (!plan.ok()) return plan.status();
    outcome.row.SetProgram(plan->fit, plan->file, input->graph);
    absl::Status written = options.format == kMkschFormat ? WriteMkschSchedule(graph, result->program, output)
                                                          : config::WriteStrategy(plan->file, output);
    if (!written.ok()) return written;
    SayIfEverythingFits(outcome.row);
  }
  outcome.json = outcome.row.Json();
  if (bottleneck.has_value()) AddBottleneck(*bottleneck, &outcome.json);
  return outcome;
}

absl::StatusOr<std::string> HomeStrategies() {
  const char* home = std::getenv("HOME");
  if (home == nullptr || *home == '\0') {
    return absl::FailedPreconditionError(
        "HOME is not set, so there is no ~/.str for strategies; say where with "
        "--output");
  }
  return absl::StrCat(home, "/.str");
}

}  // namespace str::tools
