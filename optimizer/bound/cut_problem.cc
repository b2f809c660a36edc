#include "optimizer/bound/cut_problem.h"

#include <algorithm>

namespace str::optimizer {
namespace {

// The tensor that owns the buffer, or kNone if no node of the program makes it.
TensorId Root(const Graph& graph, TensorId id) {
  while (true) {
    const Tensor& tensor = graph.tensor(id);
    if (!graph.node(tensor.node).in_program || tensor.reads_variable) return kNone;
    if (tensor.view_of == kNone) return tensor.external ? kNone : id;
    id = tensor.view_of;
  }
}

// A kernel that may take over an input's buffer counts as if it did.
int64_t OwnBytes(const Graph& graph, const Node& node) {
  int64_t bytes = node.temporary_bytes;
  for (TensorId id = node.first_tensor; id < node.first_tensor + node.outputs; ++id) {
    const Tensor& tensor = graph.tensor(id);
    const bool allocates =
        tensor.view_of == kNone && !tensor.reads_variable && !tensor.external && graph.forwards(id).empty();
    if (allocates) bytes += tensor.rounded_bytes;
  }
  return bytes;
}

}  // namespace

CutProblem::CutProblem(const Graph& graph, const Costs& costs, const std::vector<NodeId>& order, int64_t least_bytes) {
  const int positions = static_cast<int>(order.size());
  std::vector<int> position_of(graph.node_count(), kNone);
  for (int position = 0; position < positions; ++position) position_of[order[position]] = position;

  std::vector<TensorId> root(graph.tensor_count());
  std::vector<int64_t> rounded(graph.tensor_count()), bytes(graph.tensor_count());
  std::vector<std::vector<int>> holders(graph.tensor_count());
  for (TensorId id = 0; id < graph.tensor_count(); ++id) {
    const Tensor& tensor = graph.tensor(id);
    root[id] = Root(graph, id);
    rounded[id] = tensor.rounded_bytes;
    bytes[id] = tensor.bytes;
    if (root[id] == kNone) continue;
    rounded[root[id]] = std::min(rounded[root[id]], tensor.rounded_bytes);
    bytes[root[id]] = std::min(bytes[root[id]], tensor.bytes);
    if (tensor.outside_uses > 0) holders[root[id]].push_back(position_of[tensor.node]);
  }
  std::vector<int> storage_of(graph.tensor_count(), kNone);
  for (TensorId id = 0; id < graph.tensor_count(); ++id) {
    if (root[id] != id || rounded[id] < least_bytes) continue;
    storage_of[id] = static_cast<int>(storages_.size());
    CutStorage storage;
    storage.root = id;
    storage.producer = position_of[graph.tensor(id).node];
    storage.rounded_bytes = rounded[id];
    if (costs.CopiesKnown()) {
      storage.copy_out_seconds = costs.CopyOutSeconds(bytes[id]);
      storage.copy_in_seconds = costs.CopyInSeconds(bytes[id]);
    }
    storage.holders = holders[id];
    storage.held_after = holders[id].empty() ? positions : *std::min_element(holders[id].begin(), holders[id].end());
    storages_.push_back(storage);
  }

  seconds_before_.push_back(0);
  external_bytes_ = graph.external_bytes();
  int64_t constant = external_bytes_;
  for (int variable = 0; variable < graph.variable_count(); ++variable) {
    variable_bytes_.push_back(graph.variable_bytes(variable));
  }
  std::vector<char> replaced(graph.variable_count(), 0);
  for (int position = 0; position < positions; ++position) {
    const Node& from = graph.node(order[position]);
    CutNode node;
    node.seconds = costs.node_seconds[order[position]];
    node.may_rerun = from.MayRerun();
    node.own_bytes = OwnBytes(graph, from);
    node.constant_bytes = constant;
    for (const TensorId input : graph.inputs(order[position])) {
      const int storage = root[input] == kNone ? kNone : storage_of[root[input]];
      if (storage == kNone || std::find(node.inputs.begin(), node.inputs.end(), storage) != node.inputs.end()) continue;
      node.inputs.push_back(storage);
      storages_[storage].uses.push_back(position);
    }
    // From here on the old buffer, which is external, may be gone.
    if (from.variable_use == config::VARIABLE_REPLACE) replacements_.emplace_back(position, from.variable);
    if (from.variable_use == config::VARIABLE_REPLACE && !replaced[from.variable]) {
      replaced[from.variable] = 1;
      constant -= graph.variable_bytes(from.variable);
    }
    seconds_before_.push_back(seconds_before_.back() + node.seconds);
    nodes_.push_back(std::move(node));
  }
}

int64_t CutProblem::WorkingSet(int position) const {
  int64_t bytes = nodes_[position].constant_bytes + nodes_[position].own_bytes;
  for (const int storage : nodes_[position].inputs) bytes += storages_[storage].rounded_bytes;
  return bytes;
}

}  // namespace str::optimizer
