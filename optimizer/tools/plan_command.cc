// str plan GRAPH --budget=SIZE|PERCENT
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

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
#include "optimizer/tools/output_file.h"
#include "optimizer/tools/pins.h"
#include "optimizer/tools/plan_format.h"
#include "optimizer/tools/result_row.h"
#include "optimizer/tools/tier_limits.h"
#include "strategies/tiers.h"

namespace str::tools {
namespace {

using strategies::PlanStatus;

struct PlanOptions {
  std::string graph, budget, strategy = "str", output, json, time_limit, gap, solver, device, host_limit, disk_limit,
                             cost_unit, format = kStrFormat;
  uint64_t seed = 0;
  int threads = 2;
  std::vector<std::string> pins;
};

absl::StatusOr<std::string> OutputFile(const PlanOptions& options) {
  if (absl::Status status = CheckOutputFile("--json", options.json); !status.ok()) return status;
  if (absl::Status status = CheckOutputFile("--output", options.output); !status.ok()) return status;
  if (!options.output.empty()) return options.output;
  const char* home = std::getenv("HOME");
  if (home == nullptr || *home == '\0') {
    return absl::FailedPreconditionError("HOME is not set, so there is no ~/.str/strategy.conf; use --output=FILE");
  }
  return absl::StrCat(home, "/.str/strategy.conf");
}

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

absl::StatusOr<int> Plan(const PlanOptions& options) {
  const absl::StatusOr<const strategies::Planner*> found = FindStrategy("--strategy", options.strategy);
  if (!found.ok()) return found.status();
  const strategies::Planner* const planner = *found;
  if (options.format == kMkschFormat) {
    if (absl::Status status = CheckMkschFormat(options.graph, options.output); !status.ok()) return status;
  }
  const absl::StatusOr<std::string> output = OutputFile(options);
  if (!output.ok()) return output.status();
  const absl::StatusOr<GraphInput> input = ReadGraphInput(options.graph, options.cost_unit, options.device);
  if (!input.ok()) return input.status();
  const absl::StatusOr<strategies::PlanRequest> request = ParseRequest(options, *planner, *input);
  if (!request.ok()) return request.status();

  // Ctrl-C keeps the best plan so far.
  StopOnInterrupt();
  const absl::Time start = absl::Now();
  const auto progress = [&](absl::string_view line) {
    std::fprintf(stderr, "str: %.3f s: %s\n", absl::ToDoubleSeconds(absl::Now() - start), std::string(line).c_str());
  };
  absl::StatusOr<strategies::PlanResult> result =
      strategies::PlanWithTiers(*planner, *request, progress, &StopRequested());
  if (!result.ok()) return result.status();
  const double planner_seconds = absl::ToDoubleSeconds(absl::Now() - start);
  absl::Status certified =
      AddBound(*planner, *request, request->time_limit - (absl::Now() - start), progress, &StopRequested(), &*result);
  if (!certified.ok()) return certified;
  SayUnused(options, *planner, *request, *result);

  ResultRow row(*input, options.strategy, StatusName(result->status), request->budget_bytes);
  row.planner_seconds = planner_seconds;
  row.plan_seconds = absl::ToDoubleSeconds(absl::Now() - start);
  row.seed = static_cast<int64_t>(options.seed);
  if (result->min_budget_bytes > 0) row.min_budget_bytes = result->min_budget_bytes;
  if (result->bound_seconds > 0) row.bound_seconds = result->bound_seconds;
  if (result->any_order_bound_seconds > 0) row.any_order_bound_seconds = result->any_order_bound_seconds;
  row.bound_copies = planner->copies();
  if (!result->solver.empty()) row.solver = result->solver;
  std::FILE* const people = options.json == "-" ? stderr : stdout;

  int exit_code = kExitDone;
  std::optional<Bottleneck> bottleneck;
  if (result->status == PlanStatus::kInfeasible && result->min_budget_bytes == 0) {
    std::fputs(InfeasibleText(options.strategy, request->budget_bytes).c_str(), stderr);
    exit_code = kExitInfeasible;
  } else if (result->status == PlanStatus::kInfeasible) {
    const absl::StatusOr<optimizer::Verdict> verdict =
        optimizer::Judge(input->graph, input->costs, result->least_memory_program);
    if (!verdict.ok()) return verdict.status();
    bottleneck = FindBottleneck(input->graph, result->least_memory_program, *verdict);
    std::fputs(InfeasibleText(options.strategy, request->budget_bytes, result->min_budget_bytes,
                              input->graph.external_bytes(), *bottleneck)
                   .c_str(),
               stderr);
    exit_code = kExitInfeasible;
  } else if (result->status == PlanStatus::kLimit) {
    std::fputs("STR-1002: the limit was reached before a plan was found; give it more time with --time-limit\n",
               stderr);
    exit_code = kExitLimit;
  } else {
    if (absl::Status status = CheckPins(input->graph, result->program, request->pins); !status.ok()) return status;
    const absl::StatusOr<FinishedPlan> plan = FinishPlan(*input, options.strategy, *request, *result);
    if (!plan.ok()) return plan.status();
    row.SetProgram(plan->fit);
    absl::Status written = options.format == kMkschFormat ? WriteMkschSchedule(options.graph, result->program, *output)
                                                          : config::WriteStrategy(plan->file, *output);
    if (!written.ok()) return written;
    std::fprintf(people, "%s%-22s %s\n", row.Text().c_str(), "written to", output->c_str());
    SayIfEverythingFits(row);
  }
  if (!options.json.empty()) {
    JsonObject json = row.Json();
    if (bottleneck.has_value()) AddBottleneck(*bottleneck, &json);
    if (absl::Status status = WriteOut(json.Pretty(), options.json); !status.ok()) return status;
  }
  return exit_code;
}

}  // namespace

void AddPlanCommand(CLI::App* app, int* exit_code) {
  auto options = std::make_shared<PlanOptions>();
  CLI::App* command = app->add_subcommand("plan", "Plans a captured graph for a memory budget");
  command
      ->add_option("GRAPH", options->graph, "Graph file, as written by STR_CAPTURE, or a graph as JSON or mksch text")
      ->required();
  command->add_option("--budget", options->budget, "SIZE, or PERCENT of the peak when everything is kept")->required();
  command->add_option("--strategy", options->strategy, "Planner; \"str strategies\" lists them")->capture_default_str();
  command->add_option("--output", options->output, "Strategy file to write (default ~/.str/strategy.conf)");
  command->add_option("--format", options->format, "mksch: a schedule for mksch's runner instead, of its own graphs")
      ->capture_default_str()
      ->check(CLI::IsMember({kStrFormat, kMkschFormat}));
  command->add_option("--json", options->json, "Write the result as JSON to this file, - for stdout");
  command->add_option("--time-limit", options->time_limit, "Stop after this long with the best plan so far");
  command->add_option("--gap", options->gap,
                      "Stop when the plan is proven this close to the optimum, such as 2% (default 0.5%, str-exact 0)");
  command->add_option("--solver", options->solver, "For strategies that need one")
      ->check(CLI::IsMember({"highs", "gurobi"}));
  command->add_option("--seed", options->seed, "Of random choices")->capture_default_str();
  command->add_option("--threads", options->threads, "At most this many")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  command->add_option("--device", options->device, "Device the plan is for: a name of \"str devices\" or a file");
  AddCostUnitOption(command, &options->cost_unit);
  command->add_option("--host-limit", options->host_limit,
                      "Most host memory for swapped tensors (default: what the device description says)");
  command->add_option("--disk-limit", options->disk_limit,
                      "Most disk space for swapped tensors that the host has no room for (default: none is used)");
  command
      ->add_option(
          "--pin", options->pins,
          "keep|swap|recompute:REGEX: tensors with a name that matches stay on the device between their uses; or "
          "stay or are swapped, never recomputed; or stay or are recomputed, never swapped. May be repeated, "
          "later ones win")
      ->allow_extra_args(false);
  command->footer("Example: str plan captured/vgg16.graph --budget=6GiB --output=plan.conf --json=plan.json");
  command->callback([options, exit_code] {
    const absl::StatusOr<int> code = Plan(*options);
    *exit_code = code.ok() ? *code : Refuse(code.status());
  });
}

}  // namespace str::tools
