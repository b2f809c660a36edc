// str simulate GRAPH STRATEGY
#include <cmath>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "config/text_units.h"
#include "optimizer/placement/bfc_replay.h"
#include "optimizer/placement/check_places.h"
#include "optimizer/placement/fit.h"
#include "optimizer/tools/command.h"
#include "optimizer/tools/inputs.h"
#include "optimizer/tools/output_file.h"
#include "optimizer/tools/result_row.h"
#include "optimizer/tools/strategy_input.h"
#include "optimizer/tools/trace.h"
#include "strategies/checkmate/yardstick.h"
#include "strategies/registry.h"

namespace str::tools {
namespace {

constexpr char kCheckmate[] = "checkmate";

struct SimulateOptions {
  std::string graph, strategy, json, trace, device, cost_unit, yardstick = "judge";
};

// What the judge says, and beside it what another yardstick does.
struct SecondOpinion {
  strategies::CheckmateFigures figures;
  double overhead = 0;

  std::string Text() const {
    return absl::StrFormat("%-22s peak %s, step %.4f s, %+.2f %%\n", "by Checkmate's rules",
                           config::FormatBytes(figures.peak_bytes), figures.seconds, 100 * overhead);
  }
  void AddTo(JsonObject* json) const {
    json->Add("checkmate_peak_bytes", figures.peak_bytes);
    json->Add("checkmate_step_seconds", figures.seconds);
    json->Add("checkmate_overhead", overhead);
  }
};

absl::StatusOr<SecondOpinion> AskCheckmate(const GraphInput& input, const optimizer::Program& program) {
  const absl::StatusOr<strategies::CheckmateFigures> figures =
      strategies::EvaluateProgramAsCheckmate(input.graph, input.costs, program);
  if (!figures.ok()) {
    return absl::InvalidArgumentError(absl::StrCat(
        figures.status().message(), "; --yardstick=checkmate is for strategies that only recompute, stage by stage"));
  }
  SecondOpinion opinion;
  opinion.figures = *figures;
  if (input.baseline_seconds > 0) opinion.overhead = figures->seconds / input.baseline_seconds - 1;
  return opinion;
}

absl::Status Simulate(const SimulateOptions& options) {
  if (absl::Status writable = CheckOutputFile("--json", options.json); !writable.ok()) return writable;
  if (absl::Status writable = CheckOutputFile("--trace", options.trace); !writable.ok()) return writable;
  const absl::StatusOr<GraphInput> input = ReadGraphInput(options.graph, options.cost_unit, options.device);
  if (!input.ok()) return input.status();
  const absl::StatusOr<StrategyInput> read = ReadStrategyInput(options.strategy, *input);
  if (!read.ok()) return read.status();
  const auto in_file = [&](const absl::Status& status) {
    return absl::Status(status.code(), absl::StrCat(options.strategy, ": ", status.message()));
  };
  const config::StrategyFile* const strategy = &read->file;
  const optimizer::Program* const program = &read->program;
  const absl::StatusOr<optimizer::Fit> fit =
      optimizer::FitProgram(input->graph, input->costs, *program, strategy->budget_bytes());
  if (!fit.ok()) return in_file(fit.status());
  absl::Status status = optimizer::CheckPlaces(input->graph, *program, fit->verdict.simulation, *strategy);
  if (!status.ok()) return in_file(status);

  std::optional<SecondOpinion> second;
  if (options.yardstick == kCheckmate) {
    const absl::StatusOr<SecondOpinion> opinion = AskCheckmate(*input, *program);
    if (!opinion.ok()) return in_file(opinion.status());
    second = *opinion;
  }

  const bool fits = fit->verdict.peak_bytes() <= strategy->budget_bytes();
  ResultRow row(*input, strategy->planner(), fits ? "feasible" : "infeasible", strategy->budget_bytes());
  row.SetProgram(*fit, *strategy, input->graph);
  row.bfc_peak_bytes = optimizer::BfcRegionBytes(fit->verdict.simulation.allocations, input->graph.external_bytes());
  row.seed = static_cast<int64_t>(strategy->seed());
  // The bound was proven for other costs if they give another time.
  const double predicted = strategy->predicted_step_seconds();
  const bool same_costs = std::abs(fit->verdict.seconds() - predicted) <= 1e-9 * predicted;
  if (strategy->bound_seconds() > 0 && same_costs) row.bound_seconds = strategy->bound_seconds();
  const strategies::Planner* planner = strategies::FindPlanner(strategy->planner());
  row.bound_copies = planner == nullptr || planner->copies();
  if (!strategy->solver().empty()) row.solver = strategy->solver();
  std::FILE* const people = options.json == "-" ? stderr : stdout;
  std::fputs(row.Text().c_str(), people);
  if (second.has_value()) std::fputs(second->Text().c_str(), people);
  if (!fits) {
    std::fprintf(stderr, "str: this strategy is over its budget: it needs %s of %s\n",
                 config::FormatBytes(fit->verdict.peak_bytes()).c_str(),
                 config::FormatBytes(strategy->budget_bytes()).c_str());
  }
  if (!options.trace.empty()) {
    status = WriteOut(TraceJson(input->graph, *program, fit->verdict), options.trace);
    if (!status.ok()) return status;
  }
  if (options.json.empty()) return absl::OkStatus();
  JsonObject json = row.Json();
  if (second.has_value()) second->AddTo(&json);
  return WriteOut(json.Pretty(), options.json);
}

}  // namespace

void AddSimulateCommand(CLI::App* app, int* exit_code) {
  auto options = std::make_shared<SimulateOptions>();
  CLI::App* command = app->add_subcommand("simulate", "Tells what a strategy file needs and costs on a graph");
  command->add_option("GRAPH", options->graph, "Graph file, or a graph as JSON")->required();
  command->add_option("STRATEGY", options->strategy, "Strategy file")->required();
  command->add_option("--json", options->json, "Write the result as JSON to this file, - for stdout");
  command->add_option("--trace", options->trace, "Write a trace for chrome://tracing or Perfetto to this file");
  command->add_option("--device", options->device, "Device to simulate: a name of \"str devices\" or a file");
  command
      ->add_option("--yardstick", options->yardstick,
                   "checkmate: also peak and time by the rules of Checkmate's own evaluator")
      ->capture_default_str()
      ->check(CLI::IsMember({"judge", kCheckmate}));
  AddCostUnitOption(command, &options->cost_unit);
  command->footer("Example: str simulate captured/vgg16.graph plan.conf --trace=step.json");
  command->callback([options, exit_code] {
    if (absl::Status status = Simulate(*options); !status.ok()) *exit_code = Refuse(status);
  });
}

}  // namespace str::tools
