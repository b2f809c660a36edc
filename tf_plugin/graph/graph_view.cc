#include "tf_plugin/graph/graph_view.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "config/tensor_name.h"
#include "tensorflow/core/framework/node_def_util.h"
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

}  // namespace

GraphView MakeGraphView(const tensorflow::Graph& graph) {
  GraphView view;
  view.control_flow = AnalyzeControlFlow(graph);
  for (Node* node : view.control_flow.order) {
    if (node->IsOp()) view.order.push_back(node);
  }
  view.shapes = InferStaticShapes(graph, view.order);
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
  std::vector<const Node*> results;
  for (const Node* node : view.order) {
    int index = 0;
    if (!node->IsRetval() || !tensorflow::TryGetNodeAttr(node->attrs(), "index", &index) || index < 0) continue;
    if (index >= static_cast<int>(results.size())) results.resize(index + 1, nullptr);
    results[index] = node;
  }
  return results;
}

bool IsTrainingGraph(const tensorflow::Graph& graph) {
  bool updates = false;
  bool gradients = false;
  for (const Node* node : graph.op_nodes()) {
    const config::VariableUse use = VariableUseOf(*node);
    updates |= use == config::VARIABLE_UPDATE || use == config::VARIABLE_REPLACE;
    gradients |= absl::StrContains(node->type_string(), "Grad") || absl::StrContains(node->type_string(), "Backprop") ||
                 absl::StrContains(node->name(), "gradient_tape");
  }
  return updates && gradients;
}

std::string WhyNotPlannable(const tensorflow::Graph& graph) {
  for (const Node* node : graph.op_nodes()) {
    tensorflow::DeviceNameUtils::ParsedName device;
    if (tensorflow::DeviceNameUtils::ParseFullName(node->assigned_device_name(), &device) && device.has_type &&
        device.type != tensorflow::DEVICE_CPU) {
      return absl::StrCat("node '", node->name(), "' runs on a ", device.type, "; only steps on the CPU are supported");
    }
    if (node->IsSend() || node->IsRecv()) {
      return absl::StrCat("node '", node->name(),
                          "' exchanges tensors with another device; steps over several devices are not supported");
    }
  }
  return "";
}

}  // namespace str::graph
