// str import FILE --output=FILE
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "config/atomic_file.h"
#include "config/graph_io.h"
#include "config/original_ini.h"
#include "config/strategy_io.h"
#include "config/text_units.h"
#include "optimizer/importers/graph_reader.h"
#include "optimizer/importers/str_files.h"
#include "optimizer/importers/str_matrices.h"
#include "optimizer/sweep/plan_point.h"
#include "optimizer/tools/command.h"
#include "optimizer/tools/finished_plan.h"
#include "optimizer/tools/inputs.h"
#include "optimizer/tools/output_file.h"
#include "optimizer/tools/result_row.h"

namespace str::tools {
namespace {

constexpr char kMatrices[] = "str-matrices";
// The others are counted only.
constexpr size_t kMostViolations = 20;

struct ImportOptions {
  std::string file, format, graph, output, device, cost_unit;
};

absl::Status ImportGraph(const ImportOptions& options) {
  const absl::StatusOr<absl::Duration> unit = ParseCostUnit(options.cost_unit);
  if (!unit.ok()) return unit.status();
  const absl::StatusOr<config::GraphFile> graph = optimizer::ReadAnyGraph(options.file, *unit);
  if (!graph.ok()) return graph.status();
  if (absl::Status status = config::WriteGraph(*graph, options.output); !status.ok()) return status;
  std::printf("graph of %d nodes, fingerprint %s, written to %s\n", graph->node_size(), graph->fingerprint().c_str(),
              options.output.c_str());
  return absl::OkStatus();
}

void SayViolations(const std::vector<std::string>& violations) {
  if (violations.empty()) return;
  std::fprintf(stderr, "str: the matrices cannot be followed exactly in %zu places; what is missing is computed:\n",
               violations.size());
  for (size_t i = 0; i < violations.size() && i < kMostViolations; ++i) {
    std::fprintf(stderr, "  %s\n", violations[i].c_str());
  }
  if (violations.size() > kMostViolations) {
    std::fprintf(stderr, "  and %zu more\n", violations.size() - kMostViolations);
  }
}

absl::Status ImportMatrices(const ImportOptions& options) {
  if (options.graph.empty()) {
    return absl::InvalidArgumentError("matrices say nothing of the graph that they are for; add --graph=GRAPH");
  }
  const absl::StatusOr<optimizer::StrFiles> files = optimizer::FindStrFiles(options.file);
  if (!files.ok()) return files.status();
  const absl::StatusOr<GraphInput> input = ReadGraphInput(options.graph, options.cost_unit, options.device);
  if (!input.ok()) return input.status();
  absl::StatusOr<optimizer::StrSolution> solution = optimizer::ReadStrSolution(*files, input->graph, input->costs);
  if (!solution.ok()) return solution.status();
  SayViolations(solution->violations);
  const absl::StatusOr<optimizer::Fit> fit = optimizer::FitProgram(input->graph, input->costs, solution->program);
  if (!fit.ok()) {
    return absl::Status(fit.status().code(), absl::StrCat(options.file, ": cannot be run: ", fit.status().message()));
  }
  strategies::PlanRequest request = MakeRequest(*input, 0);
  request.budget_bytes = request.placed ? fit->fit_bytes : fit->verdict.peak_bytes();
  strategies::PlanResult result;
  result.program = std::move(solution->program);
  const absl::StatusOr<FinishedPlan> plan = FinishPlan(*input, kMatrices, request, result);
  if (!plan.ok()) return plan.status();
  if (absl::Status status = config::WriteStrategy(plan->file, options.output); !status.ok()) return status;
  ResultRow row(*input, kMatrices, "feasible", request.budget_bytes);
  row.SetProgram(plan->fit, plan->file, input->graph);
  std::printf("%s%-22s %zu\n%-22s %s\n%-22s %s\n", row.Text().c_str(), "violations", solution->violations.size(),
              "peak as STR counts", config::FormatBytes(solution->published_peak_bytes).c_str(), "written to",
              options.output.c_str());
  return absl::OkStatus();
}

absl::Status Import(const ImportOptions& options) {
  if (absl::Status status = CheckOutputFile("--output", options.output); !status.ok()) return status;
  std::string format = options.format;
  if (format.empty()) {
    std::error_code error;
    format = "graph";
    if (std::filesystem::is_directory(options.file, error)) {
      format = kMatrices;
    } else {
      const absl::StatusOr<std::string> text = config::ReadFile(options.file);
      if (!text.ok()) return text.status();
      if (config::IsOriginalIni(*text)) format = kMatrices;
    }
  }
  if (format == kMatrices) return ImportMatrices(options);
  if (!options.graph.empty() || !options.device.empty()) {
    return absl::InvalidArgumentError("--graph and --device are for --format=str-matrices; this is a graph itself");
  }
  return ImportGraph(options);
}

}  // namespace

void AddImportCommand(CLI::App* app, int* exit_code) {
  auto options = std::make_shared<ImportOptions>();
  CLI::App* command = app->add_subcommand("import", "Turns files of other tools into graph and strategy files");
  command
      ->add_option("FILE", options->file,
                   "A graph as JSON or mksch text; or a solution of the published STR: its INI file, or the folder of "
                   "its matrices")
      ->required();
  command->add_option("--format", options->format, "What FILE is (default: by its content)")
      ->check(CLI::IsMember({"graph", kMatrices}));
  command->add_option("--graph", options->graph, "The graph that a solution is for, in any format");
  command->add_option("--output", options->output, "Graph or strategy file to write")->required();
  command->add_option("--device", options->device,
                      "Device with the copy rates that a solution is for: a name of \"str devices\" or a file");
  AddCostUnitOption(command, &options->cost_unit);
  command->footer(
      "Examples: str import vgg16.json --output=vgg16.graph\n"
      "          str import solution/ --graph=vgg16.json --device=t4 --output=plan.conf");
  command->callback([options, exit_code] {
    if (absl::Status status = Import(*options); !status.ok()) *exit_code = Refuse(status);
  });
}

}  // namespace str::tools
