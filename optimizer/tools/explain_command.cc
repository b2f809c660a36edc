// str explain GRAPH STRATEGY
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "config/tensor_name.h"
#include "config/text_units.h"
#include "optimizer/explain/explanation.h"
#include "optimizer/tools/command.h"
#include "optimizer/tools/explain_text.h"
#include "optimizer/tools/inputs.h"
#include "optimizer/tools/output_file.h"
#include "optimizer/tools/result_row.h"
#include "optimizer/tools/strategy_input.h"

namespace str::tools {
namespace {

struct ExplainOptions {
  std::string graph, strategy, tensor, json, device, cost_unit;
  bool all = false;
};

// "node:0", or all outputs of "node".
absl::StatusOr<std::vector<optimizer::TensorId>> FindTensors(const optimizer::Graph& graph, const std::string& name) {
  if (const optimizer::NodeId node = graph.FindNode(name); node != optimizer::kNone) {
    std::vector<optimizer::TensorId> tensors;
    for (int i = 0; i < graph.node(node).outputs; ++i) tensors.push_back(graph.node(node).first_tensor + i);
    if (!tensors.empty()) return tensors;
    return absl::InvalidArgumentError(absl::StrCat("--tensor: node \"", name, "\" has no output"));
  }
  if (const absl::StatusOr<config::TensorName> tensor = config::ParseTensorName(name); tensor.ok()) {
    const optimizer::NodeId node = graph.FindNode(tensor->node);
    if (node != optimizer::kNone && tensor->output < graph.node(node).outputs) {
      return std::vector<optimizer::TensorId>{graph.node(node).first_tensor + tensor->output};
    }
  }
  return absl::InvalidArgumentError(
      absl::StrCat("--tensor: the graph has no tensor \"", name, "\"; names are like \"conv1/Relu:0\""));
}

absl::StatusOr<std::string> ExplainTensors(const optimizer::Graph& graph, const optimizer::Explanation& explanation,
                                           const std::string& name) {
  const absl::StatusOr<std::vector<optimizer::TensorId>> tensors = FindTensors(graph, name);
  if (!tensors.ok()) return tensors.status();
  std::string text;
  for (const optimizer::TensorId tensor : *tensors) {
    bool found = false;
    for (const optimizer::TensorFate& fate : explanation.tensors) {
      if (fate.tensor != graph.tensor(tensor).root) continue;
      absl::StrAppend(&text, TensorText(graph, fate, tensor));
      found = true;
    }
    if (!found) {
      absl::StrAppend(&text, graph.TensorName(tensor),
                      ": not made by the step's own nodes, or has no bytes; nothing is decided about it\n");
    }
  }
  return text;
}

absl::Status Explain(const ExplainOptions& options) {
  if (absl::Status status = CheckOutputFile("--json", options.json); !status.ok()) return status;
  const absl::StatusOr<GraphInput> input = ReadGraphInput(options.graph, options.cost_unit, options.device);
  if (!input.ok()) return input.status();
  const absl::StatusOr<StrategyInput> strategy = ReadStrategyInput(options.strategy, *input);
  if (!strategy.ok()) return strategy.status();
  const int64_t budget = strategy->file.budget_bytes();
  const absl::StatusOr<optimizer::Explanation> explanation =
      optimizer::Explain(input->graph, input->costs, strategy->program, budget);
  if (!explanation.ok()) {
    return absl::Status(explanation.status().code(),
                        absl::StrCat(options.strategy, ": ", explanation.status().message()));
  }
  std::string text;
  if (options.tensor.empty()) {
    text =
        absl::StrCat(strategy->file.planner(), ", budget ", config::FormatBytes(budget), ". ",
                     PeakText(input->graph, *explanation), "\n", TensorTable(input->graph, *explanation, options.all));
  } else {
    const absl::StatusOr<std::string> tensors = ExplainTensors(input->graph, *explanation, options.tensor);
    if (!tensors.ok()) return tensors.status();
    text = *tensors;
  }
  std::fputs(text.c_str(), options.json == "-" ? stderr : stdout);
  if (options.json.empty()) return absl::OkStatus();
  return WriteOut(ExplanationJson(input->graph, *explanation).Pretty(), options.json);
}

}  // namespace

void AddExplainCommand(CLI::App* app, int* exit_code) {
  auto options = std::make_shared<ExplainOptions>();
  CLI::App* command =
      app->add_subcommand("explain", "Tells what a strategy does with each tensor, what that costs, and why");
  command->add_option("GRAPH", options->graph, "Graph file, or a graph as JSON")->required();
  command->add_option("STRATEGY", options->strategy, "Strategy file")->required();
  command->add_option("--tensor", options->tensor, "Only this tensor, such as conv1/Relu:0, or the outputs of a node");
  command->add_flag("--all", options->all, "Also tensors that are kept, and small or not live at the peak");
  command->add_option("--json", options->json, "Write everything as JSON to this file, - for stdout");
  command->add_option("--device", options->device, "Device to simulate: a name of \"str devices\" or a file");
  AddCostUnitOption(command, &options->cost_unit);
  command->footer(
      "\"costs\" is the step time saved if that decision alone were taken back; it may be negative.\n"
      "Example: str explain captured/vgg16.graph plan.conf --tensor=block1_conv1/Relu:0");
  command->callback([options, exit_code] {
    if (absl::Status status = Explain(*options); !status.ok()) *exit_code = Refuse(status);
  });
}

}  // namespace str::tools
