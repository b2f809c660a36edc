#include "optimizer/graph/graph.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "config/in_program.h"
#include "config/tensor_name.h"

namespace str::optimizer {
namespace {

absl::Status NodeError(const config::Node& node, absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat("node \"", node.name(), "\": ", what));
}

}  // namespace

absl::StatusOr<Graph> Graph::FromFile(const config::GraphFile& file) {
  Graph graph;
  if (file.allocation_granule_bytes() < 0) return absl::InvalidArgumentError("allocation_granule_bytes is negative");
  graph.granule_ = std::max<int64_t>(1, file.allocation_granule_bytes());
  graph.external_bytes_ = file.external_bytes();
  if (absl::Status status = graph.AddNodes(file); !status.ok()) return status;
  if (absl::Status status = graph.AddEdges(file); !status.ok()) return status;
  graph.AddConsumers();
  graph.SizeVariables();
  return graph;
}

absl::Status Graph::AddNodes(const config::GraphFile& file) {
  absl::flat_hash_map<std::string, int32_t> variables;
  for (const config::Node& from : file.node()) {
    Node node;
    node.recompute = from.recompute();
    node.in_program = config::InProgram(node.recompute);
    node.variable_use = from.variable_use();
    if (node.variable_use != config::VARIABLE_NONE) {
      if (from.variable().empty()) return NodeError(from, "uses a variable but does not name it");
      node.variable = variables.try_emplace(from.variable(), variables.size()).first->second;
    }
    if (node.variable_use == config::VARIABLE_READ && from.output_size() == 0) {
      return NodeError(from, "reads a variable but has no output");
    }
    if (node.variable_use == config::VARIABLE_REPLACE && from.input_size() < 2) {
      return NodeError(from, "replaces a variable's value but has no input 1 with the new value");
    }
    node.first_tensor = tensor_count();
    node.outputs = from.output_size();
    if (from.temporary_bytes() < 0) return NodeError(from, "temporary_bytes is negative");
    node.temporary_bytes = Round(from.temporary_bytes());
    for (int i = 0; i < from.output_size(); ++i) {
      if (from.output(i).bytes() < 0) return NodeError(from, absl::StrCat("output ", i, " has negative bytes"));
      Tensor tensor;
      tensor.node = node_count();
      tensor.bytes = from.output(i).bytes();
      tensor.rounded_bytes = Round(tensor.bytes);
      tensor.external = from.output(i).external();
      tensor.reads_variable = node.variable_use == config::VARIABLE_READ && i == 0;
      tensors_.push_back(tensor);
    }
    program_nodes_ += node.in_program;
    by_name_.push_back(node_count());
    nodes_.push_back(node);
    names_.push_back(from.name());
    ops_.push_back(from.op());
  }
  variable_bytes_.assign(variables.size(), 0);
  std::sort(by_name_.begin(), by_name_.end(), [this](NodeId a, NodeId b) { return names_[a] < names_[b]; });
  for (size_t i = 1; i < by_name_.size(); ++i) {
    if (names_[by_name_[i - 1]] == names_[by_name_[i]]) {
      return absl::InvalidArgumentError(absl::StrCat("two nodes are named \"", names_[by_name_[i]], "\""));
    }
  }
  return absl::OkStatus();
}

absl::Status Graph::AddEdges(const config::GraphFile& file) {
  for (NodeId id = 0; id < node_count(); ++id) {
    const config::Node& from = file.node(id);
    std::vector<NodeId> sources;
    for (const std::string& text : from.input()) {
      const absl::StatusOr<config::TensorName> name = config::ParseTensorName(text);
      if (!name.ok()) return NodeError(from, name.status().message());
      const NodeId source = FindNode(name->node);
      if (source == kNone) return NodeError(from, absl::StrCat("input \"", text, "\": there is no such node"));
      if (name->output >= nodes_[source].outputs) {
        return NodeError(from,
                         absl::StrCat("input \"", text, "\": that node has only ", nodes_[source].outputs, " outputs"));
      }
      if (source >= id) {
        return NodeError(from, absl::StrCat("input \"", text, "\" is made by a node that comes later"));
      }
      inputs_.values.push_back(nodes_[source].first_tensor + name->output);
      sources.push_back(source);
    }
    inputs_.EndRow();
    for (const std::string& text : from.control()) {
      const NodeId source = FindNode(text);
      if (source == kNone) return NodeError(from, absl::StrCat("control input \"", text, "\": there is no such node"));
      if (source >= id) return NodeError(from, absl::StrCat("control input \"", text, "\" comes later"));
      if (std::find(sources.begin(), sources.end(), source) != sources.end()) continue;
      sources.push_back(source);
      controls_.values.push_back(source);
    }
    controls_.EndRow();
    for (int i = 0; i < from.output_size(); ++i) {
      const config::Output& output = from.output(i);
      const int view = output.view_of_input_plus1() - 1;
      if (view >= from.input_size())
        return NodeError(from, absl::StrCat("output ", i, " is a view of a missing input"));
      const TensorId tensor = nodes_[id].first_tensor + i;
      if (view >= 0) tensors_[tensor].view_of = inputs(id)[view];
      tensors_[tensor].root = view >= 0 ? tensors_[inputs(id)[view]].root : tensor;
      for (int32_t input : output.forwards_input()) {
        if (input < 0 || input >= from.input_size()) {
          return NodeError(from, absl::StrCat("output ", i, " takes over the buffer of a missing input"));
        }
        forwards_.values.push_back(input);
      }
      forwards_.EndRow();
    }
  }
  return absl::OkStatus();
}

void Graph::AddConsumers() {
  std::vector<std::vector<NodeId>> consumers(tensor_count());
  for (NodeId id = 0; id < node_count(); ++id) {
    for (TensorId tensor : inputs(id)) {
      consumers[tensor].push_back(id);
      if (!nodes_[id].in_program) ++tensors_[tensor].outside_uses;
    }
  }
  for (const std::vector<NodeId>& row : consumers) {
    consumers_.values.insert(consumers_.values.end(), row.begin(), row.end());
    consumers_.EndRow();
  }
}

void Graph::SizeVariables() {
  for (NodeId id = 0; id < node_count(); ++id) {
    const Node& node = nodes_[id];
    if (node.variable == kNone) continue;
    int64_t bytes = 0;
    if (node.variable_use == config::VARIABLE_READ) {
      bytes = tensors_[node.first_tensor].rounded_bytes;
    } else if (inputs(id).size() > 1) {
      bytes = tensors_[inputs(id)[1]].rounded_bytes;
    }
    // The largest: the value of an update may be broadcast to the variable's shape.
    int64_t& known = variable_bytes_[node.variable];
    known = std::max(known, bytes);
  }
}

std::string Graph::TensorName(TensorId id) const {
  const NodeId node = tensors_[id].node;
  return absl::StrCat(names_[node], ":", id - nodes_[node].first_tensor);
}

NodeId Graph::FindNode(absl::string_view name) const {
  const auto found = std::lower_bound(by_name_.begin(), by_name_.end(), name,
                                      [this](NodeId id, absl::string_view wanted) { return names_[id] < wanted; });
  return found != by_name_.end() && names_[*found] == name ? *found : kNone;
}

}  // namespace str::optimizer
