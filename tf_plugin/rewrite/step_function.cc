#include "tf_plugin/rewrite/step_function.h"

#include <map>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tensorflow/core/framework/graph_to_functiondef.h"
#include "tensorflow/core/framework/node_def_util.h"
#include "tensorflow/core/graph/algorithm.h"
#include "tensorflow/core/graph/node_builder.h"

namespace str::rewrite {
namespace {

using tensorflow::FunctionLibraryDefinition;
using tensorflow::Graph;
using tensorflow::Node;

// Adds the graph as a function, with all that it calls out of `functions`.
absl::Status AddBody(const Graph& graph, const std::string& name, const FunctionLibraryDefinition& functions,
                     FunctionLibraryDefinition& library) {
  tensorflow::FunctionDef definition;
  if (absl::Status status = tensorflow::GraphToFunctionDef(graph, name, &definition); !status.ok()) return status;
  const tensorflow::FunctionDefLibrary called = functions.ReachableDefinitions(definition).ToProto();
  if (absl::Status status = library.AddLibrary(called); !status.ok()) return status;
  return library.AddFunctionDef(definition);
}

// A copy of an argument or result, without edges.
absl::StatusOr<Node*> CopyTo(const Node& node, Graph& graph) {
  absl::Status status;
  tensorflow::NodeDef definition = node.def();
  definition.clear_input();
  Node* const copy = graph.AddNode(std::move(definition), &status);
  if (!status.ok()) return status;
  copy->set_assigned_device_name(node.assigned_device_name());
  return copy;
}

// Arguments -> StrStep -> results. Their indices have no gaps: AddBody has refused such graphs.
absl::Status BuildOuterGraph(const std::string& name, const Graph& graph, Graph& outer) {
  std::map<int, Node*> arguments, results;  // by index
  std::string device;
  for (Node* node : graph.op_nodes()) {
    int index = 0;
    if (device.empty()) device = node->assigned_device_name();
    if (!node->IsArg() && !node->IsRetval()) continue;
    if (absl::Status status = tensorflow::GetNodeAttr(node->attrs(), "index", &index); !status.ok()) return status;
    (node->IsArg() ? arguments : results)[index] = node;
  }
  std::vector<tensorflow::NodeBuilder::NodeOut> inputs;
  tensorflow::DataTypeVector input_types, output_types;
  for (const auto& [index, argument] : arguments) {
    const absl::StatusOr<Node*> copy = CopyTo(*argument, outer);
    if (!copy.ok()) return copy.status();
    inputs.emplace_back(*copy, 0);
    input_types.push_back(argument->output_type(0));
  }
  for (const auto& [index, result] : results) output_types.push_back(result->input_type(0));
  Node* step = nullptr;
  absl::Status status =
      tensorflow::NodeBuilder(absl::StrCat(kStepNodePrefix, name), kernels::kStep, outer.op_registry())
          .Input(inputs)
          .Attr("Tin", input_types)
          .Attr("Tout", output_types)
          .Attr(kernels::kStepNameAttr, name)
          .Device(device)
          .Finalize(&outer, &step);
  if (!status.ok()) return status;
  step->set_assigned_device_name(device);
  for (const auto& [index, result] : results) {
    const absl::StatusOr<Node*> copy = CopyTo(*result, outer);
    if (!copy.ok()) return copy.status();
    outer.AddEdge(step, index, *copy, 0);
  }
  tensorflow::FixupSourceAndSinkEdges(&outer);
  return absl::OkStatus();
}

}  // namespace

bool IsWrapped(const Graph& graph) {
  for (const Node* node : graph.op_nodes()) {
    if (node->type_string() == kernels::kStep) return true;
  }
  return false;
}

absl::Status WrapStep(const std::string& name, const Graph& planned, const FunctionLibraryDefinition& functions,
                      std::shared_ptr<kernels::StepGuard> guard, bool strict, std::unique_ptr<Graph>& graph) {
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
  if (absl::Status status = AddBody(*graph, step->plain_body, functions, *step->library); !status.ok()) {
    return status;
  }
  auto outer = std::make_unique<Graph>(graph->flib_def());
  outer->set_versions(graph->versions());
  if (absl::Status status = BuildOuterGraph(name, *graph, *outer); !status.ok()) return status;
  kernels::AddPlannedStep(name, std::move(step));
  graph = std::move(outer);
  return absl::OkStatus();
}

}  // namespace str::rewrite
