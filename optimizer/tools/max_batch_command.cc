// str max-batch GRAPH... --batch=LIST --budget=SIZE: the largest batch that fits, per strategy.
#include <algorithm>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "config/text_units.h"
#include "optimizer/importers/graph_reader.h"
#include "optimizer/importers/json_fields.h"
#include "optimizer/sweep/max_batch.h"
#include "optimizer/sweep/row_store.h"
#include "optimizer/sweep/sweep.h"
#include "optimizer/tools/command.h"
#include "optimizer/tools/interrupt.h"
#include "optimizer/tools/lists.h"
#include "optimizer/tools/output_file.h"
#include "optimizer/tools/sweep_options.h"

namespace str::tools {
namespace {

struct MaxBatchOptions {
  std::vector<std::string> graphs;
  std::string batches, budget, strategies = "str", max_overhead, tried, yardstick = "judge";
  SweepOptions sweep;
};

absl::StatusOr<std::vector<GraphAtBatch>> ReadGraphs(const MaxBatchOptions& options) {
  const std::vector<std::string> batches = SplitList(options.batches);
  if (options.graphs.size() > 2) {
    return absl::InvalidArgumentError("give one graph, or two of different batch sizes; more say nothing new");
  }
  if (batches.size() != options.graphs.size()) {
    return absl::InvalidArgumentError(absl::StrCat("--batch: ", batches.size(), " batch sizes for ",
                                                   options.graphs.size(), " graphs; give one for each"));
  }
  const absl::StatusOr<absl::Duration> unit = ParseCostUnit(options.sweep.cost_unit);
  if (!unit.ok()) return unit.status();
  std::vector<GraphAtBatch> graphs;
  for (size_t i = 0; i < batches.size(); ++i) {
    GraphAtBatch graph;
    graph.source_name = options.graphs[i];
    if (!absl::SimpleAtoi(batches[i], &graph.batch)) {
      return absl::InvalidArgumentError(absl::StrCat("--batch: \"", batches[i], "\" is no batch size"));
    }
    absl::StatusOr<config::GraphFile> file = optimizer::ReadAnyGraph(options.graphs[i], *unit);
    if (!file.ok()) return file.status();
    graph.file = *std::move(file);
    graphs.push_back(std::move(graph));
  }
  if (absl::Status status = CheckScalable(graphs); !status.ok()) return status;
  return graphs;
}

struct InputFigures {
  std::vector<std::string> contents;
  // The highest of the graphs, with everything kept.
  int64_t peak_bytes = 0;
};

absl::StatusOr<InputFigures> FindInputFigures(const std::vector<GraphAtBatch>& graphs, const std::string& device) {
  InputFigures figures;
  for (const GraphAtBatch& graph : graphs) {
    const absl::StatusOr<GraphInput> input = MakeGraphInput(graph.file, graph.source_name, device);
    if (!input.ok()) return input.status();
    figures.contents.push_back(ContentsOf(*input));
    figures.peak_bytes = std::max(figures.peak_bytes, input->baseline_peak_bytes);
  }
  return figures;
}

// "FIRST:LAST:STEP".
absl::StatusOr<BatchRange> ParseRange(const std::string& text) {
  BatchRange range;
  if (text.empty()) return range;
  const std::vector<std::string> parts = absl::StrSplit(text, ':');
  const bool numbers = parts.size() == 3 && absl::SimpleAtoi(parts[0], &range.first) &&
                       absl::SimpleAtoi(parts[1], &range.last) && absl::SimpleAtoi(parts[2], &range.step);
  if (!numbers || range.first < 1 || range.last < range.first || range.step < 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("--batches: \"", text, "\" is no range; write it like 4:512:8, first, last and step"));
  }
  return range;
}

JsonObject Row(const strategies::Planner& planner, const MaxBatchResult& result, double seconds) {
  JsonObject json;
  json.Add("strategy", planner.name());
  // Without any answer there is none: 0 would be one.
  const bool answered = result.error.empty() || result.batch > 0;
  json.Add("batch", answered ? std::optional<int64_t>(result.batch) : std::nullopt);
  json.Add("max_overhead", result.max_overhead);
  json.Add("plans", result.plans);
  json.Add("seconds", seconds);
  json.AddRaw("limited", result.limited ? "true" : "false");
  if (result.row.has_value()) {
    json.Add("peak_bytes", result.row->peak_bytes);
    json.Add("overhead", result.row->Overhead());
  }
  if (!result.error.empty()) json.Add("error", result.error);
  return json;
}

std::string Summary(const MaxBatchResult& result) {
  if (!result.error.empty()) return absl::StrCat("error: ", result.error);
  if (!result.row.has_value()) return "not even the smallest batch fits";
  return absl::StrFormat("batch %d, %+.2f %% of at most %+.2f %%%s", result.batch, 100 * *result.row->Overhead(),
                         100 * result.max_overhead, result.limited ? "; perhaps more with a longer --time-limit" : "");
}

// What stands behind the batch in the table.
std::string RowRemark(const optimizer::JsonFields& row, int64_t batch) {
  if (row.Has("error")) {
    return absl::StrCat(batch > 0 ? "  at least; then: " : "  ", row.Text("error").value_or("could not go on"));
  }
  return batch > 0 ? "" : "  not even the smallest batch fits";
}

absl::StatusOr<int> FindBatches(const MaxBatchOptions& options) {
  if (absl::Status status = CheckOutputFile("--json", options.sweep.json); !status.ok()) return status;
  const absl::StatusOr<std::vector<const strategies::Planner*>> planners =
      ParseStrategies("--strategy", options.strategies);
  if (!planners.ok()) return planners.status();
  const absl::StatusOr<std::vector<GraphAtBatch>> graphs = ReadGraphs(options);
  if (!graphs.ok()) return graphs.status();
  const absl::StatusOr<InputFigures> figures = FindInputFigures(*graphs, options.sweep.device);
  if (!figures.ok()) return figures.status();
  MaxBatchQuery query;
  query.graphs = &*graphs;
  query.device = options.sweep.device;
  query.seed = options.sweep.seed;
  const absl::StatusOr<int64_t> budget = ParseBudgetBytes("--budget", options.budget, figures->peak_bytes);
  if (!budget.ok()) return budget.status();
  query.budget_bytes = *budget;
  const absl::StatusOr<absl::Duration> time_limit = ParseTimeLimit(options.sweep.time_limit);
  if (!time_limit.ok()) return time_limit.status();
  query.time_limit_per_plan = *time_limit;
  if (!options.max_overhead.empty()) {
    double percent = 0;
    if (!absl::SimpleAtod(absl::StripSuffix(options.max_overhead, "%"), &percent) || !(percent >= 0)) {
      return absl::InvalidArgumentError(
          absl::StrCat("--max-overhead: \"", options.max_overhead, "\" is no share; write it like 33%"));
    }
    query.max_overhead = percent / 100;
  }
  const absl::StatusOr<BatchRange> range = ParseRange(options.tried);
  if (!range.ok()) return range.status();
  query.batches = *range;
  if (options.yardstick == "checkmate") query.yardstick = Yardstick::kCheckmate;
  std::vector<SweepPoint> points;
  for (const strategies::Planner* planner : *planners) {
    points.push_back({std::string(planner->name()), [&query, planner](std::string* summary) {
                        const absl::Time start = absl::Now();
                        const MaxBatchResult result = FindMaxBatch(query, *planner, &StopRequested());
                        *summary = Summary(result);
                        return Row(*planner, result, absl::ToDoubleSeconds(absl::Now() - start));
                      }});
  }
  const absl::StatusOr<RowStore> store = RunSweep(options.sweep,
                                                  {{"command", "max-batch"},
                                                   {"graph", graphs->front().file.name()},
                                                   {"batches_of_graphs", options.batches},
                                                   {"budget_bytes", absl::StrCat(*budget)},
                                                   {"max_overhead", options.max_overhead},
                                                   {"batches", options.tried},
                                                   {"yardstick", options.yardstick}},
                                                  absl::StrJoin(figures->contents, ", "), points);
  if (!store.ok()) return store.status();
  std::FILE* const people = options.sweep.json == "-" ? stderr : stdout;
  std::fprintf(people, "%s: largest batch within %s\n", graphs->front().file.name().c_str(),
               config::FormatBytes(*budget).c_str());
  bool any = false, any_answer = false;
  for (const strategies::Planner* planner : *planners) {
    const google::protobuf::Struct* row = store->Find(planner->name());
    if (row == nullptr) continue;
    const optimizer::JsonFields fields(row, "a row");
    const int64_t batch = fields.Whole("batch").value_or(0);
    any |= batch > 0;
    any_answer |= !fields.Has("error");
    std::fprintf(people, "%-20s %6s%s\n", std::string(planner->name()).c_str(),
                 batch == 0 && fields.Has("error") ? "-" : absl::StrCat(batch).c_str(),
                 RowRemark(fields, batch).c_str());
  }
  if (options.sweep.json == "-") std::fputs(store->Contents().c_str(), stdout);
  if (StopRequested()) return kExitLimit;
  if (any) return kExitDone;
  return any_answer ? kExitInfeasible : kExitBadInput;
}

}  // namespace

void AddMaxBatchCommand(CLI::App* app, int* exit_code) {
  auto options = std::make_shared<MaxBatchOptions>();
  CLI::App* command = app->add_subcommand("max-batch", "Finds the largest batch that fits a budget");
  command->add_option("GRAPH", options->graphs, "The model's graph at one batch size, or at two")->required();
  command->add_option("--batch", options->batches, "Batch size of each graph, separated by commas")->required();
  command->add_option("--budget", options->budget, "SIZE")->required();
  command->add_option("--strategy", options->strategies, "One or several, separated by commas, or all")
      ->capture_default_str();
  command->add_option("--max-overhead", options->max_overhead,
                      "Most time above everything kept, such as 33% (default: one more forward pass)");
  command->add_option("--batches", options->tried, "FIRST:LAST:STEP: the batches to try (default: all)");
  command
      ->add_option("--yardstick", options->yardstick,
                   "checkmate: its baselines as its authors count them, by its own evaluator; else the judge")
      ->capture_default_str()
      ->check(CLI::IsMember({"judge", "checkmate"}));
  AddSweepOptions(command, &options->sweep);
  command->footer(absl::StrCat(
      kHtmlOption, "Example: str max-batch vgg19.json --batch=64 --budget=16GB --strategy=keep-all,recompute-only"));
  command->callback([options, exit_code] {
    const absl::StatusOr<int> code = FindBatches(*options);
    *exit_code = code.ok() ? *code : Refuse(code.status());
  });
}

}  // namespace str::tools
