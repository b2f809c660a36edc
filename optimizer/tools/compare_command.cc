// str compare GRAPH: planners side by side over a sweep of budgets.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "optimizer/importers/json_fields.h"
#include "optimizer/sweep/plan_point.h"
#include "optimizer/sweep/row_store.h"
#include "optimizer/sweep/sweep.h"
#include "optimizer/tools/command.h"
#include "optimizer/tools/inputs.h"
#include "optimizer/tools/lists.h"
#include "optimizer/tools/result_row.h"

namespace str::tools {
namespace {

constexpr char kAutomatic[] = "auto";
constexpr int kAutomaticBudgets = 10;
constexpr double kLargestAutomaticPercent = 95;
// Two sums of the same times in another order are the same time.
constexpr double kSameOverhead = 1e-9;
constexpr int kNarrowestColumn = 11;

std::atomic<bool> stop_requested(false);

struct CompareOptions {
  std::string graph, budgets = kAutomatic, strategies = "all", json, time_limit = "60s", device, cost_unit;
  uint64_t seed = 0;
  int threads = 2;
};

std::string PointName(const strategies::Planner& planner, const std::string& budget) {
  return absl::StrCat(planner.name(), "@", budget);
}

std::optional<double> OverheadOf(const google::protobuf::Struct* row) {
  if (row == nullptr) return std::nullopt;
  const auto at = row->fields().find("overhead");
  if (at == row->fields().end() || !at->second.has_number_value()) return std::nullopt;
  return at->second.number_value();
}

// "+3.12", or why there is no figure.
std::string Cell(const google::protobuf::Struct* row) {
  if (row == nullptr) return "-";
  if (const std::optional<double> overhead = OverheadOf(row); overhead.has_value()) {
    return absl::StrFormat("%+.2f", 100 * *overhead);
  }
  return optimizer::JsonFields(row, "a row").Text("status").value_or("-");
}

// One line a budget, one column a strategy: the step's time above everything kept in percent, * at the lowest.
std::string Table(const std::vector<const strategies::Planner*>& planners, const std::vector<std::string>& budgets,
                  const RowStore& store) {
  const auto column = [](const strategies::Planner* planner, absl::string_view text) {
    return absl::StrFormat(" %*s", std::max<int>(kNarrowestColumn, static_cast<int>(planner->name().size())), text);
  };
  std::string text = absl::StrFormat("%-10s", "budget");
  for (const strategies::Planner* planner : planners) text += column(planner, planner->name());
  text += "\n";
  for (const std::string& budget : budgets) {
    std::optional<double> lowest;
    for (const strategies::Planner* planner : planners) {
      const std::optional<double> overhead = OverheadOf(store.Find(PointName(*planner, budget)));
      if (overhead.has_value()) lowest = std::min(lowest.value_or(*overhead), *overhead);
    }
    absl::StrAppendFormat(&text, "%-10s", budget);
    for (const strategies::Planner* planner : planners) {
      const google::protobuf::Struct* row = store.Find(PointName(*planner, budget));
      const std::optional<double> overhead = OverheadOf(row);
      const bool best = overhead.has_value() && *overhead <= *lowest + kSameOverhead;
      text += column(planner, absl::StrCat(Cell(row), best ? "*" : ""));
    }
    text += "\n";
  }
  return text;
}

// As percentages, evenly from the least that one of the planners can do with, as far as they tell.
absl::StatusOr<std::vector<std::string>> AutomaticBudgets(const GraphInput& input,
                                                          const std::vector<const strategies::Planner*>& planners) {
  int64_t least = 0;
  strategies::PlanRequest request = MakeRequest(input, 1);
  // So small that the smallest possible is all that there is to find out.
  for (const strategies::Planner* planner : planners) {
    if (stop_requested || planner->default_gap() == 0) continue;
    const absl::StatusOr<strategies::PlanResult> result = planner->Plan(request, nullptr, &stop_requested);
    if (!result.ok() || result->min_budget_bytes == 0) continue;
    least = least == 0 ? result->min_budget_bytes : std::min(least, result->min_budget_bytes);
  }
  if (least == 0) {
    return absl::FailedPreconditionError(
        "--budgets: none of the strategies tells the least that it can do with, so name some, like 80%,60%");
  }
  const double peak = static_cast<double>(input.baseline_peak_bytes);
  const double lowest = std::ceil(1000 * static_cast<double>(least) / peak) / 10;
  std::vector<std::string> budgets;
  for (int i = kAutomaticBudgets - 1; i >= 0; --i) {
    const double share = static_cast<double>(i) / (kAutomaticBudgets - 1);
    budgets.push_back(absl::StrFormat("%.1f%%", lowest + share * std::max(0.0, kLargestAutomaticPercent - lowest)));
  }
  budgets.erase(std::unique(budgets.begin(), budgets.end()), budgets.end());
  return budgets;
}

absl::StatusOr<std::vector<std::string>> ParseBudgets(const std::string& text, const GraphInput& input,
                                                      const std::vector<const strategies::Planner*>& planners) {
  if (text == kAutomatic) return AutomaticBudgets(input, planners);
  std::vector<std::string> budgets = SplitList(text);
  if (budgets.empty()) return absl::InvalidArgumentError("--budgets: names no budget; write it like 80%,60%,6GiB");
  return budgets;
}

absl::StatusOr<int> Compare(const CompareOptions& options) {
  const absl::StatusOr<std::vector<const strategies::Planner*>> planners = ParseStrategies(options.strategies);
  if (!planners.ok()) return planners.status();
  const absl::StatusOr<absl::Duration> time_limit = ParseTimeLimit(options.time_limit);
  if (!time_limit.ok()) return time_limit.status();
  const absl::StatusOr<GraphInput> input = ReadGraphInput(options.graph, options.cost_unit, options.device);
  if (!input.ok()) return input.status();
  const absl::StatusOr<std::vector<std::string>> budgets = ParseBudgets(options.budgets, *input, *planners);
  if (!budgets.ok()) return budgets.status();
  std::vector<SweepPoint> points;
  for (const std::string& budget : *budgets) {
    const absl::StatusOr<int64_t> bytes = ParseBudget(budget, input->baseline_peak_bytes);
    if (!bytes.ok()) return bytes.status();
    for (const strategies::Planner* planner : *planners) {
      strategies::PlanRequest request = MakeRequest(*input, *bytes);
      request.time_limit = *time_limit;
      request.seed = options.seed;
      request.gap = planner->default_gap();
      points.push_back({PointName(*planner, budget), [&input, planner, request](std::string* summary) {
                          const PointResult point = PlanPoint(*input, *planner, request, &stop_requested);
                          const std::optional<double> overhead = point.row.Overhead();
                          *summary = overhead.has_value()
                                         ? absl::StrFormat("%s, %+.2f %%", point.row.status, 100 * *overhead)
                                         : absl::StrCat(point.row.status, point.error.empty() ? "" : ": ", point.error);
                          JsonObject row = point.row.Json();
                          if (!point.error.empty()) row.Add("error", point.error);
                          return row;
                        }});
    }
  }
  RowStore store(options.json, {{"command", "compare"},
                                {"graph", input->file.name()},
                                {"fingerprint", input->file.fingerprint()},
                                {"device", options.device},
                                {"cost_unit", options.cost_unit},
                                {"time_limit", options.time_limit},
                                {"seed", absl::StrCat(options.seed)}});
  if (absl::Status status = store.Resume(); !status.ok()) return status;
  std::signal(SIGINT, [](int) {
    stop_requested.store(true);
    std::signal(SIGINT, SIG_DFL);
  });
  if (absl::Status status = RunSweep(points, options.threads, stop_requested, &store); !status.ok()) return status;
  std::FILE* const people = options.json == "-" ? stderr : stdout;
  std::fprintf(people, "%s: time of a step above everything kept, in percent; * is the lowest\n%s",
               input->file.name().c_str(), Table(*planners, *budgets, store).c_str());
  if (options.json == "-") std::fputs(store.Contents().c_str(), stdout);
  if (!stop_requested) return kExitDone;
  std::fputs("str: interrupted; the same command goes on from here if it has --json=FILE\n", stderr);
  return kExitLimit;
}

}  // namespace

void AddCompareCommand(CLI::App* app, int* exit_code) {
  auto options = std::make_shared<CompareOptions>();
  CLI::App* command = app->add_subcommand("compare", "Plans a graph with several strategies over a sweep of budgets");
  command->add_option("GRAPH", options->graph, "Graph file, or a graph of another project")->required();
  command
      ->add_option("--budgets", options->budgets,
                   "SIZEs and PERCENTs, separated by commas; auto: ten, from the least that fits")
      ->capture_default_str();
  command->add_option("--strategies", options->strategies, "Separated by commas; \"str strategies\" lists them")
      ->capture_default_str();
  command->add_option("--json", options->json,
                      "Write all rows to this file after each; if it is there, go on from it. - for stdout");
  command->add_option("--time-limit", options->time_limit, "Per plan")->capture_default_str();
  command->add_option("--seed", options->seed, "Of random choices")->capture_default_str();
  command->add_option("--threads", options->threads, "Plans at the same time")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  command->add_option("--device", options->device, "Device the plans are for: a name of \"str devices\" or a file");
  AddCostUnitOption(command, &options->cost_unit);
  command->footer("Example: str compare vgg16.graph --budgets=80%,60%,40% --strategies=str,chen-sqrt --json=rows.json");
  command->callback([options, exit_code] {
    const absl::StatusOr<int> code = Compare(*options);
    *exit_code = code.ok() ? *code : Refuse(code.status());
  });
}

}  // namespace str::tools
