#include "tf_plugin/graph/graph_view.h"

#include <algorithm>
#include <map>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "config/tensor_name.h"
#include "tensorflow/core/framework/memory_types.h"
#include "tensorflow/core/framework/node_def_util.h"
#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/types.h"
#include "tensorflow/core/platform/hash.h"
#include "tensorflow/core/util/device_name_utils.h"
#include "tf_plugin/graph/op_facts.h"

namespace str::graph {
namespace {

using tensorflow::Edge;
using tensorflow::Node;

// Everything that makes one node what it is. In-edges come in no stable order, so they are sorted.
std::string Describe(const Node& node, const StaticShapes& shapes) {
  std::vector<std::string> inputs;
  for (const Edge* edge : node.in_edges()) {
    if (!edge->src()->IsOp()) continue;
    inputs.push_back(edge->IsControlEdge()
                         ? absl::StrCat("^", edge->src()->name())
                         : absl::StrCat(edge->dst_input(), "=", edge->src()->name(), ":", edge->src_output()));
  }
  std::sort(inputs.begin(), inputs.end());
  std::string text = absl::StrCat(node.name(), "|", node.type_string(), "|", absl::StrJoin(inputs, ","));
  for (int i = 0; i < node.num_outputs(); ++i) {
    absl::StrAppend(&text, "|", config::ShapeText(DescribeOutput(node, i, shapes)));
  }
  return text;
}

std::string Fingerprint(const GraphView& view) {
  std::vector<std::string> lines;
  for (const Node* node : view.order) lines.push_back(Describe(*node, view.shapes));
  std::sort(lines.begin(), lines.end());
  return absl::StrCat(absl::Hex(tensorflow::Hash64(absl::StrJoin(lines, "\n")), absl::kZeroPad16));
}

NodePairs FindPairs(const tensorflow::Graph& graph, const Surroundings& surroundings) {
  std::map<std::string, Node*> nodes;
  for (Node* node : graph.op_nodes()) {
    if (node->IsSend() || node->IsRecv()) nodes[node->name()] = node;
  }
  NodePairs pairs;
  for (const auto& [first, second] : surroundings.order) pairs.emplace_back(nodes.at(first), nodes.at(second));
  return pairs;
}

std::string DeviceTypeOf(const Node& node) {
  tensorflow::DeviceNameUtils::ParsedName device;
  const bool parsed = tensorflow::DeviceNameUtils::ParseFullName(node.assigned_device_name(), &device);
  return parsed && device.has_type ? device.type : tensorflow::DEVICE_CPU;
}

// Both empty on a CPU, where nothing lies elsewhere, and for a node without a kernel.
void FindMemoryTypes(const Node& node, tensorflow::MemoryTypeVector& inputs, tensorflow::MemoryTypeVector& outputs) {
  const std::string device = DeviceTypeOf(node);
  if (device == tensorflow::DEVICE_CPU) return;
  const absl::Status status = tensorflow::MemoryTypesForNode(
      tensorflow::OpRegistry::Global(), tensorflow::DeviceType(device), node.def(), &inputs, &outputs);
  if (status.ok()) return;
  inputs.clear();
  outputs.clear();
}

}  // namespace

GraphView MakeGraphView(const tensorflow::Graph& graph, const Surroundings& surroundings) {
  GraphView view;
  view.control_flow = AnalyzeControlFlow(graph);
  if (!surroundings.order.empty()) {
    view.across_devices = FindPairs(graph, surroundings);
    NodePairs more = LoopOrder(view.control_flow.loops);
    more.insert(more.end(), view.across_devices.begin(), view.across_devices.end());
    view.control_flow.order = WithMoreOrder(graph, view.control_flow.order, more);
  }
  for (Node* node : view.control_flow.order) {
    if (node->IsOp()) view.order.push_back(node);
  }
  view.shapes = InferStaticShapes(graph, view.order, surroundings.received);
  view.recompute.resize(graph.num_node_ids());
  for (const Node* node : view.order) {
    // Results keep their own kind: a result that may be missing is still a result.
    const bool inside = view.control_flow.inside[node->id()] && !node->IsRetval();
    view.recompute[node->id()] = inside ? config::RECOMPUTE_CONTROL_FLOW : RecomputeOf(*node);
  }
  view.fingerprint = Fingerprint(view);
  return view;
}

config::Output DescribeOutput(const Node& node, int output, const StaticShapes& shapes) {
  config::Output described;
  described.set_dtype(tensorflow::DataTypeString(node.output_type(output)));
  const tensorflow::PartialTensorShape& shape = shapes[node.id()][output];
  described.set_known_rank(!shape.unknown_rank());
  for (int i = 0; i < shape.dims(); ++i) described.add_dim(shape.dim_size(i));
  return described;
}

std::vector<const Node*> ResultsOf(const GraphView& view) {
  std::map<int, const Node*> by_index;
  for (const Node* node : view.order) {
    int index = 0;
    if (node->IsRetval() && tensorflow::TryGetNodeAttr(node->attrs(), "index", &index)) by_index[index] = node;
  }
  std::vector<const Node*> results;
  for (const auto& [index, node] : by_index) results.push_back(node);
  return results;
}

bool IsTrainingGraph(const tensorflow::Graph& graph) {
  bool updates = false;
  bool gradients = false;
  for (const Node* node : graph.op_nodes()) {
    const config::VariableUse use = VariableUseOf(*node);
    updates |= use == config::VARIABLE_UPDATE || use == config::VARIABLE_REPLACE;
    gradients |= IsOfGradients(node->type_string(), node->name());
  }
  return updates && gradients;
}

std::vector<bool> OutputsInHostMemory(const Node& node) {
  tensorflow::MemoryTypeVector inputs, outputs;
  FindMemoryTypes(node, inputs, outputs);
  std::vector<bool> in_host_memory(node.num_outputs(), false);
  for (size_t i = 0; i < outputs.size(); ++i) in_host_memory[i] = outputs[i] == tensorflow::HOST_MEMORY;
  return in_host_memory;
}

bool IsInputInHostMemory(const Node& node, int input) {
  tensorflow::MemoryTypeVector inputs, outputs;
  FindMemoryTypes(node, inputs, outputs);
  return input < static_cast<int>(inputs.size()) && inputs[input] == tensorflow::HOST_MEMORY;
}

std::string WhyNotPlannable(const tensorflow::Graph& graph, const Surroundings& surroundings) {
  for (const Node* node : graph.op_nodes()) {
    const std::string device = DeviceTypeOf(*node);
    if (device != tensorflow::DEVICE_CPU && device != tensorflow::DEVICE_GPU) {
      return absl::StrCat("node '", node->name(), "' runs on a ", device,
                          "; only steps on CPUs and GPUs are supported");
    }
    if (device == tensorflow::DEVICE_CPU && (node->IsSend() || node->IsRecv())) {
      return absl::StrCat("node '", node->name(),
                          "' exchanges tensors with another device; of such a step only what runs on a GPU is planned");
    }
  }
  if (!surroundings.may_get_nothing.empty()) {
    return absl::StrCat("node '", surroundings.may_get_nothing,
                        "' receives what another device sends in some steps only, out of a loop or conditional");
  }
  return "";
}

}  // namespace str::graph
