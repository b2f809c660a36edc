// Reads a strategy file for a graph: the program that it stands for, checked against the graph.
#ifndef STR_OPTIMIZER_TOOLS_STRATEGY_INPUT_H_
#define STR_OPTIMIZER_TOOLS_STRATEGY_INPUT_H_

#include <string>

#include "absl/status/statusor.h"
#include "config/strategy.pb.h"
#include "optimizer/simulator/program.h"
#include "optimizer/tools/inputs.h"

namespace str::tools {

struct StrategyInput {
  config::StrategyFile file;
  optimizer::Program program;
};

// Errors name the file and what in it does not belong to the graph.
absl::StatusOr<StrategyInput> ReadStrategyInput(const std::string& path, const GraphInput& graph);

}  // namespace str::tools

#endif  // STR_OPTIMIZER_TOOLS_STRATEGY_INPUT_H_
