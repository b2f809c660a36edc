#include "strategies/staged/staged_graph.h"

#include <algorithm>
#include <utility>

namespace str::strategies {
namespace {

using optimizer::Graph;
using optimizer::kNone;
using optimizer::NodeId;
using optimizer::Tensor;
using optimizer::TensorId;

bool OwnsBuffer(const Tensor& tensor) { return tensor.view_of == kNone && !tensor.reads_variable && !tensor.external; }

void SortOnce(std::vector<int>* positions) {
  std::sort(positions->begin(), positions->end());
  positions->erase(std::unique(positions->begin(), positions->end()), positions->end());
}

}  // namespace

// The position of the input whose buffer the node takes over if it may: one value in one buffer, of the same size,
// taken once.
int StagedGraph::FindTakenOver(const Graph& graph, NodeId id, const std::vector<int>& position_of) const {
  const absl::Span<const TensorId> inputs = graph.inputs(id);
  const optimizer::Node& node = graph.node(id);
  for (int i = 0; i < node.outputs; ++i) {
    const TensorId output = node.first_tensor + i;
    for (const int32_t input : graph.forwards(output)) {
      if (std::count(inputs.begin(), inputs.end(), inputs[input]) != 1) continue;
      const TensorId root = graph.tensor(inputs[input]).root;
      const int position = position_of[graph.tensor(root).node];
      if (position == kNone || nodes_[position].held) continue;
      const bool alone = nodes_[position].tensors == std::vector<TensorId>{root};
      if (alone && graph.tensor(root).rounded_bytes == graph.tensor(output).rounded_bytes) return position;
    }
  }
  return -1;
}

StagedGraph::StagedGraph(const Graph& graph, const optimizer::Costs& costs, const std::vector<NodeId>& order,
                         const std::vector<Pin>& pins) {
  fixed_bytes_ = graph.external_bytes();
  for (TensorId id = 0; id < graph.tensor_count(); ++id) {
    const Tensor& tensor = graph.tensor(id);
    if (!graph.node(tensor.node).in_program && OwnsBuffer(tensor)) fixed_bytes_ += tensor.rounded_bytes;
  }
  std::vector<int> position_of(graph.node_count(), kNone);
  for (const NodeId id : order) {
    const optimizer::Node& from = graph.node(id);
    if (!from.in_program) continue;
    position_of[id] = size();
    StagedNode node;
    node.nodes = {id};
    node.seconds = costs.node_seconds[id];
    node.temporary_bytes = from.temporary_bytes;
    node.may_rerun = from.MayRerun();
    for (TensorId tensor : graph.inputs(id)) {
      for (; tensor != kNone; tensor = graph.tensor(tensor).view_of) {
        const int position = position_of[graph.tensor(tensor).node];
        if (position != kNone && position != size()) node.inputs.push_back(position);
      }
    }
    bool may_swap = true;
    for (int i = 0; i < from.outputs; ++i) {
      const TensorId id_of_output = from.first_tensor + i;
      const Tensor& output = graph.tensor(id_of_output);
      const Pin pin = pins.empty() ? Pin::kFree : pins[id_of_output];
      // A view has to be made again of a buffer that was swapped.
      if (pin == Pin::kKeep || (pin == Pin::kSwap && OwnsBuffer(output))) node.may_rerun = false;
      if (OwnsBuffer(output)) {
        node.bytes += output.rounded_bytes;
        node.tensors.push_back(id_of_output);
        may_swap = may_swap && (pin == Pin::kFree || pin == Pin::kSwap);
      }
      for (TensorId viewed = output.view_of; viewed != kNone; viewed = graph.tensor(viewed).view_of) {
        const int position = position_of[graph.tensor(viewed).node];
        if (position != kNone && position != size()) node.viewed.push_back(position);
      }
      node.held = node.held || output.outside_uses > 0;
    }
    node.takes_over = FindTakenOver(graph, id, position_of);
    node.may_swap = may_swap && node.bytes > 0 && !node.held;
    Add(std::move(node));
  }
}

void StagedGraph::Add(StagedNode node) {
  SortOnce(&node.inputs);
  SortOnce(&node.viewed);
  for (const int input : node.inputs) nodes_[input].consumers.push_back(size());
  total_seconds_ += node.seconds;
  nodes_.push_back(std::move(node));
}

}  // namespace str::strategies
