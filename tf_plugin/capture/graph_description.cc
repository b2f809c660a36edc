#include "tf_plugin/capture/graph_description.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "absl/strings/str_cat.h"
#include "config/in_program.h"
#include "config/tensor_name.h"
#include "tensorflow/c/c_api.h"
#include "tensorflow/core/framework/node_def_util.h"
#include "tensorflow/core/framework/types.h"
#include "tf_plugin/device/device_memory.h"
#include "tf_plugin/graph/op_cost.h"
#include "tf_plugin/graph/op_facts.h"

namespace str::capture {
namespace {

using tensorflow::Edge;
using tensorflow::Node;

void DescribeEdges(const Node& node, config::Node& described) {
  std::vector<std::string> inputs(node.num_inputs());
  std::vector<std::string> controls;
  for (const Edge* edge : node.in_edges()) {
    // The back edge of a loop would make a cycle; DescribeHiddenOrder adds what it stands for.
    if (!edge->src()->IsOp() || !graph::IsForwardEdge(*edge)) continue;
    if (edge->IsControlEdge()) {
      controls.push_back(edge->src()->name());
    } else {
      inputs[edge->dst_input()] = absl::StrCat(edge->src()->name(), ":", edge->src_output());
    }
  }
  inputs.erase(std::remove(inputs.begin(), inputs.end(), ""), inputs.end());
  std::sort(controls.begin(), controls.end());
  described.mutable_input()->Assign(inputs.begin(), inputs.end());
  described.mutable_control()->Assign(controls.begin(), controls.end());
}

// What leaves a loop may depend on all that enters it, and what is received on all that was sent. Without these edges a
// program could ask for the one before it computes the other, and the step would never end.
void DescribeHiddenOrder(const graph::GraphView& view, config::GraphFile& graph) {
  std::map<const Node*, int> index;
  for (size_t i = 0; i < view.order.size(); ++i) index[view.order[i]] = static_cast<int>(i);
  std::map<int, std::set<std::string>> controls;
  for (const auto& [first, second] : graph::LoopOrder(view.control_flow.loops)) {
    controls[index.at(second)].insert(first->name());
  }
  for (const auto& [first, second] : view.across_devices) controls[index.at(second)].insert(first->name());
  for (const graph::Loop& loop : view.control_flow.loops) {
    if (loop.parent < 0) graph.add_loop()->set_name(loop.frame);
  }
  for (auto& [node, names] : controls) {
    config::Node& described = *graph.mutable_node(node);
    names.insert(described.control().begin(), described.control().end());
    described.mutable_control()->Assign(names.begin(), names.end());
  }
}

// A variable's size, from the shape that its handle carries.
std::optional<int64_t> HandleBytes(const Node& node) {
  std::vector<tensorflow::PartialTensorShape> shapes;
  std::vector<tensorflow::DataType> types;
  if (!tensorflow::GetNodeAttr(node.attrs(), "_handle_shapes", &shapes).ok() || shapes.empty()) return std::nullopt;
  if (!tensorflow::GetNodeAttr(node.attrs(), "_handle_dtypes", &types).ok() || types.empty()) return std::nullopt;
  if (!shapes[0].IsFullyDefined()) return std::nullopt;
  return shapes[0].num_elements() * tensorflow::DataTypeSize(types[0]);
}

int64_t RoundToGranule(int64_t bytes) {
  return (bytes + device::kGranuleBytes - 1) / device::kGranuleBytes * device::kGranuleBytes;
}

// Types whose tensors are handles: their bytes are not device memory.
bool IsHandle(tensorflow::DataType type) {
  return type == tensorflow::DT_RESOURCE || type == tensorflow::DT_VARIANT || type == tensorflow::DT_STRING;
}

}  // namespace

config::GraphFile DescribeGraph(const graph::GraphView& view, const std::string& name, const std::string& device) {
  config::GraphFile graph;
  graph.set_format_version(1);
  graph.set_name(name);
  graph.set_fingerprint(view.fingerprint);
  graph.set_tensorflow_version(TF_Version());
  graph.set_device(device);
  graph.set_allocation_granule_bytes(device::kGranuleBytes);
  for (const Node* node : view.order) {
    config::Node& described = *graph.add_node();
    described.set_name(node->name());
    described.set_op(node->type_string());
    DescribeEdges(*node, described);
    described.set_recompute(view.recompute[node->id()]);
    described.set_variable_use(graph::VariableUseOf(*node));
    if (const Node* variable = graph::VariableOf(*node); variable != nullptr) {
      described.set_variable(variable->name());
    }
    const graph::OpCost cost = graph::CostOf(*node, view.shapes);
    described.set_flops(cost.flops);
    described.set_moved_bytes(cost.moved_bytes);
    const std::vector<bool> in_host_memory = graph::OutputsInHostMemory(*node);
    for (int i = 0; i < node->num_outputs(); ++i) {
      config::Output& output = *described.add_output() = graph::DescribeOutput(*node, i, view.shapes);
      output.set_bytes(graph::OutputBytes(*node, i, view.shapes).value_or(0));
      output.set_host_memory(in_host_memory[i]);
      // Outside of programs, variables, and what is not on the device: not the step's own memory.
      output.set_external(!config::InProgram(described.recompute()) ||
                          described.variable_use() == config::VARIABLE_READ || in_host_memory[i]);
    }
    if (node->num_outputs() == 0 || described.output(0).external()) continue;
    const bool shares = graph::IsView(node->type_string()) || graph::IsListOfSlices(node->type_string());
    if (shares && node->num_inputs() > 0) {
      described.mutable_output(0)->set_view_of_input_plus1(1);
    } else {
      for (int k : graph::ForwardedInputs(*node)) {
        if (k < node->num_inputs()) described.mutable_output(0)->add_forwards_input(k);
      }
    }
  }
  DescribeHiddenOrder(view, graph);
  return graph;
}

absl::Status FillBytesFromShapes(const graph::GraphView& view, config::GraphFile& graph) {
  int64_t external_bytes = 0;
  for (int i = 0; i < graph.node_size(); ++i) {
    const Node& node = *view.order[i];
    if (const std::optional<int64_t> variable = HandleBytes(node); node.IsArg() && variable.has_value()) {
      external_bytes += RoundToGranule(*variable);
    }
    for (int o = 0; o < node.num_outputs(); ++o) {
      const config::Output& output = graph.node(i).output(o);
      if (IsHandle(node.output_type(o)) || output.host_memory()) continue;
      if (!graph::OutputBytes(node, o, view.shapes).has_value()) {
        return absl::InvalidArgumentError(absl::StrCat("node '", node.name(), "' (", node.type_string(),
                                                       ") has an output of unknown size, ", config::ShapeText(output),
                                                       "; give the model fixed shapes, the batch size included"));
      }
      if ((node.IsArg() || node.IsConstant()) && output.external()) external_bytes += RoundToGranule(output.bytes());
    }
  }
  graph.set_external_bytes(external_bytes);
  return absl::OkStatus();
}

}  // namespace str::capture
