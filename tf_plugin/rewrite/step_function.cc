#include "tf_plugin/rewrite/step_function.h"

#include <map>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tensorflow/core/framework/graph_to_functiondef.h"
#include "tensorflow/core/framework/node_def_util.h"
#include "tensorflow/core/graph/algorithm.h"
#include "tensorflow/core/graph/node_builder.h"
#include "tf_plugin/graph/graph_view.h"
#include "tf_plugin/kernels/automatic_step.h"

namespace str::rewrite {
namespace {

using tensorflow::FunctionLibraryDefinition;
using tensorflow::Graph;
using tensorflow::Node;

// By index, which has gaps: other devices have the others.
using Ends = std::map<int, Node*>;

absl::Status FindEnds(const Graph& graph, Ends& arguments, Ends& results) {
  for (Node* node : graph.op_nodes()) {
    if (!node->IsArg() && !node->IsRetval()) continue;
    int index = 0;
    if (absl::Status status = tensorflow::GetNodeAttr(node->attrs(), "index", &index); !status.ok()) return status;
    if (!(node->IsArg() ? arguments : results).emplace(index, node).second) {
      return absl::InvalidArgumentError(absl::StrCat("two '", node->type_string(), "' nodes have index ", index));
    }
  }
  return absl::OkStatus();
}

// Indices 0, 1, ... instead, in the same order: a function has no gaps.
void CloseGaps(const Ends& ends) {
  int next = 0;
  for (const auto& [index, node] : ends) {
    node->ClearAttr("index");
    node->AddAttr("index", next++);
  }
}

// A copy of an argument or result, without edges. Its definition keeps the names of its inputs: a session counts them.
absl::StatusOr<Node*> CopyTo(const Node& node, Graph& graph) {
  absl::Status status;
  Node* const copy = graph.AddNode(node.def(), &status);
  if (!status.ok()) return status;
  copy->set_assigned_device_name(node.assigned_device_name());
  return copy;
}

}  // namespace

absl::Status AddBody(const Graph& graph, const std::string& name, const FunctionLibraryDefinition& functions,
                     FunctionLibraryDefinition& library) {
  Graph body(graph.flib_def());
  body.Copy(graph);
  Ends arguments, results;
  if (absl::Status status = FindEnds(body, arguments, results); !status.ok()) return status;
  CloseGaps(arguments);
  CloseGaps(results);
  tensorflow::FunctionDef definition;
  if (absl::Status status = tensorflow::GraphToFunctionDef(body, name, &definition); !status.ok()) return status;
  const tensorflow::FunctionDefLibrary called = functions.ReachableDefinitions(definition).ToProto();
  if (absl::Status status = library.AddLibrary(called); !status.ok()) return status;
  return library.AddFunctionDef(definition);
}

absl::StatusOr<std::unique_ptr<Graph>> MakeOuterGraph(const std::string& name, const std::string& op,
                                                      const Graph& graph) {
  auto outer = std::make_unique<Graph>(graph.flib_def());
  outer->set_versions(graph.versions());
  Ends arguments, results;
  if (absl::Status status = FindEnds(graph, arguments, results); !status.ok()) return status;
  std::string device;
  for (const Node* node : graph.op_nodes()) {
    if (device.empty()) device = node->assigned_device_name();
  }
  std::vector<tensorflow::NodeBuilder::NodeOut> inputs;
  tensorflow::DataTypeVector input_types, output_types;
  for (const auto& [index, argument] : arguments) {
    const absl::StatusOr<Node*> copy = CopyTo(*argument, *outer);
    if (!copy.ok()) return copy.status();
    inputs.emplace_back(*copy, 0);
    input_types.push_back(argument->output_type(0));
  }
  for (const auto& [index, result] : results) output_types.push_back(result->input_type(0));
  // As the arguments and results themselves: on a GPU, integers and handles lie in the host's memory.
  std::vector<int> host_inputs, host_outputs;
  int input = 0, output = 0;
  for (const auto& [index, argument] : arguments) {
    if (graph::OutputsInHostMemory(*argument)[0]) host_inputs.push_back(input);
    ++input;
  }
  for (const auto& [index, result] : results) {
    if (graph::IsInputInHostMemory(*result, 0)) host_outputs.push_back(output);
    ++output;
  }
  Node* step = nullptr;
  absl::Status status =
      tensorflow::NodeBuilder(absl::StrCat(kStepNodePrefix, name), op, outer->op_registry())
          .Input(inputs)
          .Attr("Tin", input_types)
          .Attr("Tout", output_types)
          .Attr(kernels::kStepNameAttr, name)
          .Device(device)
          .Finalize(outer.get(), &step);
  if (!status.ok()) return status;
  step->set_assigned_device_name(device);
  if (!host_inputs.empty()) step->AddAttr("_input_hostmem", host_inputs);
  if (!host_outputs.empty()) step->AddAttr("_output_hostmem", host_outputs);
  output = 0;
  for (const auto& [index, result] : results) {
    const absl::StatusOr<Node*> copy = CopyTo(*result, *outer);
    if (!copy.ok()) return copy.status();
    outer->AddEdge(step, output++, *copy, 0);
  }
  tensorflow::FixupSourceAndSinkEdges(outer.get());
  return outer;
}

bool IsWrapped(const Graph& graph) {
  for (const Node* node : graph.op_nodes()) {
    if (node->type_string() == kernels::kStep || node->type_string() == kernels::kAutomaticStep) return true;
  }
  return false;
}

absl::StatusOr<std::shared_ptr<const kernels::PlannedStep>> MakePlannedStep(
    const std::string& name, const Graph& planned, const Graph& plain, const FunctionLibraryDefinition& functions,
    std::shared_ptr<kernels::StepGuard> guard, bool strict) {
  auto step = std::make_shared<kernels::PlannedStep>();
  // On TensorFlow's own registry: the one behind the graph's library does not live as long as the step.
  step->library =
      std::make_unique<FunctionLibraryDefinition>(tensorflow::OpRegistry::Global(), tensorflow::FunctionDefLibrary());
  step->planned_body = absl::StrCat("str_planned_", name);
  step->plain_body = absl::StrCat("str_plain_", name);
  step->guard = std::move(guard);
  step->strict = strict;
  if (absl::Status status = AddBody(planned, step->planned_body, functions, *step->library); !status.ok()) {
    return status;
  }
  if (absl::Status status = AddBody(plain, step->plain_body, functions, *step->library); !status.ok()) return status;
  return step;
}

absl::Status WrapStep(const std::string& name, const Graph& planned, const FunctionLibraryDefinition& functions,
                      std::shared_ptr<kernels::StepGuard> guard, bool strict, std::unique_ptr<Graph>& graph) {
  absl::StatusOr<std::shared_ptr<const kernels::PlannedStep>> step =
      MakePlannedStep(name, planned, *graph, functions, std::move(guard), strict);
  if (!step.ok()) return step.status();
  absl::StatusOr<std::unique_ptr<Graph>> outer = MakeOuterGraph(name, kernels::kStep, *graph);
  if (!outer.ok()) return outer.status();
  kernels::AddPlannedStep(name, *std::move(step));
  graph = *std::move(outer);
  return absl::OkStatus();
}

}  // namespace str::rewrite
