// str plan GRAPH|FOLDER --budget=SIZE|PERCENT
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "optimizer/tools/command.h"
#include "optimizer/tools/hidden_strategies.h"
#include "optimizer/tools/interrupt.h"
#include "optimizer/tools/lists.h"
#include "optimizer/tools/output_file.h"
#include "optimizer/tools/plan_folder.h"
#include "optimizer/tools/plan_format.h"
#include "optimizer/tools/plan_graph.h"
#include "optimizer/tools/result_row.h"

namespace str::tools {
namespace {

absl::StatusOr<std::string> OutputFile(const PlanOptions& options) {
  if (absl::Status status = CheckOutputFile("--output", options.output); !status.ok()) return status;
  if (!options.output.empty()) return options.output;
  const absl::StatusOr<std::string> folder = HomeStrategies();
  if (!folder.ok()) return folder.status();
  return absl::StrCat(*folder, "/strategy.conf");
}

absl::StatusOr<int> Plan(const PlanOptions& options) {
  if (absl::Status known = FindStrategy("--strategy", options.strategy).status(); !known.ok()) return known;
  if (absl::Status status = CheckOutputFile("--json", options.json); !status.ok()) return status;
  // Ctrl-C keeps the best plan so far.
  StopOnInterrupt();
  std::error_code error;
  if (std::filesystem::is_directory(options.graph, error)) return PlanFolder(options);
  if (options.format == kMkschFormat) {
    if (absl::Status status = CheckMkschFormat(options.graph, options.output); !status.ok()) return status;
  }
  const absl::StatusOr<std::string> output = OutputFile(options);
  if (!output.ok()) return output.status();
  const absl::StatusOr<PlanOutcome> outcome = PlanGraph(options, options.graph, *output, /*prefix=*/"");
  if (!outcome.ok()) return outcome.status();
  if (outcome->exit_code == kExitDone) {
    std::fprintf(options.json == "-" ? stderr : stdout, "%s%-22s %s\n", outcome->row.Text().c_str(), "written to",
                 output->c_str());
    if (options.output.empty()) SayIfHidden(*output, outcome->fingerprint);
  }
  if (!options.json.empty()) {
    if (absl::Status status = WriteOut(outcome->json.Pretty(), options.json); !status.ok()) return status;
  }
  return outcome->exit_code;
}

}  // namespace

void AddPlanCommand(CLI::App* app, int* exit_code) {
  auto options = std::make_shared<PlanOptions>();
  CLI::App* command = app->add_subcommand("plan", "Plans captured graphs for a memory budget");
  command
      ->add_option("GRAPH", options->graph,
                   "Graph file, as written by STR_CAPTURE, or a graph as JSON or mksch text; or the folder of a "
                   "capture: all its graphs, each with this budget")
      ->required();
  command->add_option("--budget", options->budget, "SIZE, or PERCENT of the peak when everything is kept")->required();
  command->add_option("--strategy", options->strategy, "Planner; \"str strategies\" lists them")->capture_default_str();
  command->add_option(
      "--output", options->output,
      "Strategy file to write (default ~/.str/strategy.conf); for a folder, the folder of the files (default ~/.str)");
  command->add_option("--format", options->format, "mksch: a schedule for mksch's runner instead, of its own graphs")
      ->capture_default_str()
      ->check(CLI::IsMember({kStrFormat, kMkschFormat}));
  command->add_option("--json", options->json, "Write the result as JSON to this file, - for stdout");
  command->add_option("--time-limit", options->time_limit, "Stop after this long with the best plan so far");
  command->add_option("--gap", options->gap,
                      "Stop when the plan is proven this close to the optimum, such as 2% (default: 0.01% for str, "
                      "swap-only, recompute-only; 0 for str-exact; else 0.5%)");
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
  command->footer(
      "Example: str plan captured/vgg16.graph --budget=6GiB --output=plan.conf --json=plan.json\n"
      "         str plan captured --budget=60%");
  command->callback([options, exit_code] {
    const absl::StatusOr<int> code = Plan(*options);
    *exit_code = code.ok() ? *code : Refuse(code.status());
  });
}

}  // namespace str::tools
