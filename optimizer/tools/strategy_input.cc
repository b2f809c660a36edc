#include "optimizer/tools/strategy_input.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "config/strategy_against_graph.h"
#include "config/strategy_io.h"
#include "optimizer/simulator/program_file.h"

namespace str::tools {

absl::StatusOr<StrategyInput> ReadStrategyInput(const std::string& path, const GraphInput& graph) {
  absl::StatusOr<config::StrategyFile> file = config::ReadStrategy(path);
  if (!file.ok()) return file.status();
  const auto in_file = [&](const absl::Status& status) {
    return absl::Status(status.code(), absl::StrCat(path, ": ", status.message()));
  };
  absl::Status status = config::CheckStrategyAgainstGraph(*file, graph.file);
  if (!status.ok()) return in_file(status);
  absl::StatusOr<optimizer::Program> program = optimizer::ProgramFromStrategy(graph.graph, *file);
  if (!program.ok()) return in_file(program.status());
  return StrategyInput{*std::move(file), *std::move(program)};
}

}  // namespace str::tools
