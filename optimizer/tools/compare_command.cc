// str compare GRAPH: planners side by side over a sweep of budgets.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "optimizer/importers/json_fields.h"
#include "optimizer/sweep/plan_point.h"
#include "optimizer/sweep/row_store.h"
#include "optimizer/sweep/sweep.h"
#include "optimizer/tools/command.h"
#include "optimizer/tools/inputs.h"
#include "optimizer/tools/interrupt.h"
#include "optimizer/tools/lists.h"
#include "optimizer/tools/output_file.h"
#include "optimizer/tools/result_row.h"
#include "optimizer/tools/sweep_options.h"

namespace str::tools {
namespace {

constexpr char kAutomatic[] = "auto";
constexpr int kAutomaticBudgets = 10;
constexpr double kLargestAutomaticPercent = 95;
// Two sums of the same times in another order are the same time.
constexpr double kSameOverhead = 1e-9;
constexpr int kNarrowestColumn = 11;

struct CompareOptions {
  std::vector<std::string> graphs;
  std::string budgets = kAutomatic, strategies = "all";
  SweepOptions sweep;
};

// One of the graphs, with the budgets that it is planned for.
struct Subject {
  GraphInput input;
  std::vector<std::string> budgets;
};

std::string PointName(const Subject& subject, const strategies::Planner& planner, const std::string& budget) {
  return absl::StrCat(subject.input.file.name(), ": ", planner.name(), "@", budget);
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
std::string Table(const Subject& subject, const std::vector<const strategies::Planner*>& planners,
                  const RowStore& store) {
  const auto column = [](const strategies::Planner* planner, absl::string_view text) {
    return absl::StrFormat(" %*s", std::max<int>(kNarrowestColumn, static_cast<int>(planner->name().size())), text);
  };
  std::string text = absl::StrFormat("%-10s", "budget");
  for (const strategies::Planner* planner : planners) text += column(planner, planner->name());
  text += "\n";
  for (const std::string& budget : subject.budgets) {
    std::optional<double> lowest;
    for (const strategies::Planner* planner : planners) {
      const std::optional<double> overhead = OverheadOf(store.Find(PointName(subject, *planner, budget)));
      if (overhead.has_value()) lowest = std::min(lowest.value_or(*overhead), *overhead);
    }
    absl::StrAppendFormat(&text, "%-10s", budget);
    for (const strategies::Planner* planner : planners) {
      const google::protobuf::Struct* row = store.Find(PointName(subject, *planner, budget));
      const std::optional<double> overhead = OverheadOf(row);
      const bool best = overhead.has_value() && *overhead <= *lowest + kSameOverhead;
      text += column(planner, absl::StrCat(Cell(row), best ? "*" : ""));
    }
    text += "\n";
  }
  return text;
}

// One line for each strategy that could not plan, with the reason.
std::string Errors(const Subject& subject, const std::vector<const strategies::Planner*>& planners,
                   const RowStore& store) {
  std::string text;
  for (const strategies::Planner* planner : planners) {
    std::string said;
    for (const std::string& budget : subject.budgets) {
      const google::protobuf::Struct* row = store.Find(PointName(subject, *planner, budget));
      if (row == nullptr || row->fields().count("error") == 0) continue;
      const std::string why = optimizer::JsonFields(row, "a row").Text("error").value_or("");
      if (why != said) absl::StrAppend(&text, planner->name(), " at ", budget, ": ", why, "\n");
      said = why;
    }
  }
  return text;
}

// As percentages, evenly from the least that one of the planners can do with, as far as they tell.
absl::StatusOr<std::vector<std::string>> AutomaticBudgets(const GraphInput& input,
                                                          const std::vector<const strategies::Planner*>& planners,
                                                          const SweepOptions& options, absl::Duration time_limit) {
  int64_t least = 0;
  // So small that the smallest possible is all that there is to find out.
  strategies::PlanRequest request = MakeRequest(input, 1);
  request.time_limit = time_limit;
  request.seed = options.seed;
  std::string why;
  for (const strategies::Planner* planner : planners) {
    const absl::StatusOr<strategies::PlanResult> result = planner->Plan(request, nullptr, &StopRequested());
    if (!result.ok()) why = absl::StrCat(" (", planner->name(), ": ", result.status().message(), ")");
    if (!result.ok() || result->min_budget_bytes == 0) continue;
    least = least == 0 ? result->min_budget_bytes : std::min(least, result->min_budget_bytes);
  }
  if (least == 0) {
    return absl::FailedPreconditionError(absl::StrCat(
        "--budgets: none of the strategies tells the least that it can do with, so name some, like 80%,60%", why));
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

absl::StatusOr<Subject> ReadSubject(const std::string& path, const CompareOptions& options,
                                    const std::vector<const strategies::Planner*>& planners,
                                    absl::Duration time_limit) {
  absl::StatusOr<GraphInput> input = ReadGraphInput(path, options.sweep.cost_unit, options.sweep.device);
  if (!input.ok()) return input.status();
  absl::StatusOr<std::vector<std::string>> budgets = options.budgets == kAutomatic
                                                         ? AutomaticBudgets(*input, planners, options.sweep, time_limit)
                                                         : SplitList(options.budgets);
  if (!budgets.ok()) return budgets.status();
  if (budgets->empty()) return absl::InvalidArgumentError("--budgets: names no budget; write it like 80%,60%,6GiB");
  return Subject{*std::move(input), *std::move(budgets)};
}

JsonObject PlanRow(const Subject& subject, const strategies::Planner& planner, const strategies::PlanRequest& request,
                   std::string* summary) {
  const PointResult point = PlanPoint(subject.input, planner, request, &StopRequested());
  const std::optional<double> overhead = point.row.Overhead();
  *summary = overhead.has_value() ? absl::StrFormat("%s, %+.2f %%", point.row.status, 100 * *overhead)
                                  : absl::StrCat(point.row.status, point.error.empty() ? "" : ": ", point.error);
  JsonObject row = point.row.Json();
  row.Add("graph", subject.input.file.name());
  if (!point.error.empty()) row.Add("error", point.error);
  return row;
}

absl::StatusOr<int> Compare(const CompareOptions& options) {
  const absl::StatusOr<std::vector<const strategies::Planner*>> planners =
      ParseStrategies("--strategies", options.strategies);
  if (!planners.ok()) return planners.status();
  const absl::StatusOr<absl::Duration> time_limit = ParseTimeLimit(options.sweep.time_limit);
  if (!time_limit.ok()) return time_limit.status();
  if (absl::Status status = CheckOutputFile("--json", options.sweep.json); !status.ok()) return status;
  StopOnInterrupt();
  std::vector<Subject> subjects;
  std::vector<std::string> names, contents;
  for (const std::string& path : options.graphs) {
    absl::StatusOr<Subject> subject = ReadSubject(path, options, *planners, *time_limit);
    if (!subject.ok()) return subject.status();
    names.push_back(subject->input.file.name());
    if (const auto twin = std::find(names.begin(), names.end(), names.back()); twin != names.end() - 1) {
      return absl::InvalidArgumentError(absl::StrCat(options.graphs[twin - names.begin()], " and ", path,
                                                     " both hold a graph called \"", *twin,
                                                     "\", so that their rows could not be told apart; run str compare "
                                                     "once for each, with files of its own (--json, --html)"));
    }
    contents.push_back(ContentsOf(subject->input));
    subjects.push_back(*std::move(subject));
  }
  std::vector<SweepPoint> points;
  for (const Subject& subject : subjects) {
    for (const std::string& budget : subject.budgets) {
      const absl::StatusOr<int64_t> bytes = ParseBudget("--budgets", budget, subject.input.baseline_peak_bytes);
      if (!bytes.ok()) return bytes.status();
      for (const strategies::Planner* planner : *planners) {
        strategies::PlanRequest request = MakeRequest(subject.input, *bytes);
        request.time_limit = *time_limit;
        request.seed = options.sweep.seed;
        request.gap = planner->default_gap();
        points.push_back({PointName(subject, *planner, budget), [&subject, planner, request](std::string* summary) {
                            return PlanRow(subject, *planner, request, summary);
                          }});
      }
    }
  }
  const absl::StatusOr<RowStore> store =
      RunSweep(options.sweep, {{"command", "compare"}, {"graphs", absl::StrJoin(names, ", ")}},
               absl::StrJoin(contents, ", "), points);
  if (!store.ok()) return store.status();
  std::FILE* const people = options.sweep.json == "-" ? stderr : stdout;
  for (const Subject& subject : subjects) {
    std::fprintf(people, "%s: time of a step above everything kept, in percent; * is the lowest\n%s%s",
                 subject.input.file.name().c_str(), Table(subject, *planners, *store).c_str(),
                 Errors(subject, *planners, *store).c_str());
  }
  if (options.sweep.json == "-") std::fputs(store->Contents().c_str(), stdout);
  return StopRequested() ? kExitLimit : kExitDone;
}

}  // namespace

void AddCompareCommand(CLI::App* app, int* exit_code) {
  auto options = std::make_shared<CompareOptions>();
  CLI::App* command = app->add_subcommand("compare", "Plans graphs with several strategies over a sweep of budgets");
  command->add_option("GRAPH", options->graphs, "Graph files, or graphs of other projects")->required();
  command
      ->add_option("--budgets", options->budgets,
                   "SIZEs and PERCENTs, separated by commas; auto: ten, from the least that fits")
      ->capture_default_str();
  command->add_option("--strategies", options->strategies, "Separated by commas; \"str strategies\" lists them")
      ->capture_default_str();
  AddSweepOptions(command, &options->sweep);
  command->footer(absl::StrCat(
      kHtmlOption,
      "Example: str compare vgg16.graph --budgets=80%,60%,40% --strategies=str,chen-sqrt --json=rows.json"));
  command->callback([options, exit_code] {
    const absl::StatusOr<int> code = Compare(*options);
    *exit_code = code.ok() ? *code : Refuse(code.status());
  });
}

}  // namespace str::tools
