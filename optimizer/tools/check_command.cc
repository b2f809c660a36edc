// str check FILE...
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "config/atomic_file.h"
#include "config/device_io.h"
#include "config/file_kind.h"
#include "config/strategy_against_graph.h"
#include "config/strategy_io.h"
#include "config/text_units.h"
#include "optimizer/importers/graph_reader.h"
#include "optimizer/importers/mksch_text.h"
#include "optimizer/tools/command.h"
#include "optimizer/tools/inputs.h"

namespace str::tools {
namespace {

struct Found {
  struct Graph {
    std::string path;
    config::GraphFile file;
  };
  std::vector<Graph> graphs;
  struct Strategy {
    std::string path;
    config::StrategyFile file;
  };
  std::vector<Strategy> strategies;
};

absl::Status CheckFile(const std::string& path, absl::Duration cost_unit, Found* found) {
  const absl::StatusOr<std::string> text = config::ReadFile(path);
  if (!text.ok()) return text.status();
  if (absl::StripAsciiWhitespace(*text).empty()) {
    return absl::InvalidArgumentError(absl::StrCat(path, ": the file is empty"));
  }
  using config::FileKind;
  switch (optimizer::LooksLikeMksch(*text) ? FileKind::kGraph : config::RecogniseFile(*text)) {
    case FileKind::kJson:
    case FileKind::kGraph: {
      const absl::StatusOr<config::GraphFile> graph = optimizer::ParseAnyGraph(*text, path, cost_unit);
      if (!graph.ok()) return graph.status();
      std::printf("%s: graph of %d nodes, fingerprint %s: ok\n", path.c_str(), graph->node_size(),
                  graph->fingerprint().c_str());
      found->graphs.push_back({path, *graph});
      return absl::OkStatus();
    }
    case FileKind::kOriginalIni:
    case FileKind::kStrategy: {
      const absl::StatusOr<config::StrategyFile> strategy = config::ParseStrategy(*text, path);
      if (!strategy.ok()) return strategy.status();
      std::printf("%s: strategy of %d steps for graph %s, budget %s: ok\n", path.c_str(), strategy->step_size(),
                  strategy->graph_fingerprint().c_str(), config::FormatBytes(strategy->budget_bytes()).c_str());
      found->strategies.push_back({path, *strategy});
      return absl::OkStatus();
    }
    case FileKind::kDevice: {
      const absl::StatusOr<config::DeviceFile> device = config::ParseDevice(*text, path);
      if (!device.ok()) return device.status();
      std::printf("%s: device %s: ok\n", path.c_str(), device->name().c_str());
      return absl::OkStatus();
    }
    case FileKind::kUnknown:
      break;
  }
  return absl::InvalidArgumentError(absl::StrCat(path, ": neither a graph nor a strategy nor a device file of STR"));
}

// Strategies against the graphs given beside them: of the same fingerprint, or the only one.
absl::Status CheckTogether(const Found& found) {
  for (const Found::Strategy& strategy : found.strategies) {
    bool matched = found.graphs.empty();
    for (const Found::Graph& graph : found.graphs) {
      const bool same = strategy.file.graph_fingerprint() == graph.file.fingerprint();
      if (!same && found.graphs.size() > 1) continue;
      const absl::Status status = config::CheckStrategyAgainstGraph(strategy.file, graph.file);
      if (!status.ok()) {
        return absl::FailedPreconditionError(
            absl::StrCat(strategy.path, " against ", graph.path, ": ", status.message()));
      }
      std::printf("%s fits %s\n", strategy.path.c_str(), graph.path.c_str());
      matched = true;
    }
    if (!matched) {
      return absl::FailedPreconditionError(absl::StrCat(strategy.path, ": is for the graph with fingerprint ",
                                                        strategy.file.graph_fingerprint(),
                                                        ", which is none of those given"));
    }
  }
  return absl::OkStatus();
}

}  // namespace

void AddCheckCommand(CLI::App* app, int* exit_code) {
  auto files = std::make_shared<std::vector<std::string>>();
  auto cost_unit = std::make_shared<std::string>();
  CLI::App* command = app->add_subcommand("check", "Validates graph, strategy and device files");
  command->add_option("FILE", *files, "Files; a strategy is also checked against a graph that is given with it")
      ->required();
  AddCostUnitOption(command, cost_unit.get());
  command->callback([files, cost_unit, exit_code] {
    const absl::StatusOr<absl::Duration> unit = ParseCostUnit(*cost_unit);
    if (!unit.ok()) {
      *exit_code = Refuse(unit.status());
      return;
    }
    Found found;
    for (const std::string& file : *files) {
      if (absl::Status status = CheckFile(file, *unit, &found); !status.ok()) *exit_code = Refuse(status);
    }
    if (absl::Status status = CheckTogether(found); !status.ok()) *exit_code = Refuse(status);
  });
}

}  // namespace str::tools
