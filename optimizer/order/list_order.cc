#include "optimizer/order/list_order.h"

#include <cstdint>

namespace str::optimizer {
namespace {

class ListScheduler {
 public:
  ListScheduler(const Graph& graph, const Constraints& constraints) : graph_(graph), constraints_(constraints) {
    uses_left_.assign(graph.tensor_count(), 0);
    root_.resize(graph.tensor_count());
    for (TensorId id = 0; id < graph.tensor_count(); ++id) {
      const Tensor& tensor = graph.tensor(id);
      root_[id] = tensor.view_of == kNone ? id : root_[tensor.view_of];
      uses_left_[root_[id]] += static_cast<int>(graph.consumers(id).size());
    }
  }

  std::vector<NodeId> Order() {
    const int nodes = graph_.node_count();
    std::vector<int> missing(nodes);
    for (NodeId node = 0; node < nodes; ++node) {
      missing[node] = static_cast<int>(constraints_.predecessors[node].size());
      if (missing[node] == 0) ready_.push_back(node);
    }
    std::vector<NodeId> order;
    order.reserve(nodes);
    while (!ready_.empty()) {
      const NodeId node = TakeBest();
      order.push_back(node);
      for (TensorId input : graph_.inputs(node)) --uses_left_[root_[input]];
      for (NodeId next : constraints_.successors[node]) {
        if (--missing[next] == 0) ready_.push_back(next);
      }
    }
    return order;
  }

 private:
  int64_t Bytes(TensorId root) const {
    const Tensor& tensor = graph_.tensor(root);
    const bool counts = !tensor.external && !tensor.reads_variable && graph_.node(tensor.node).in_program;
    return counts ? tensor.rounded_bytes : 0;
  }

  // Memory after the node less memory before it.
  int64_t NetChange(NodeId id) const {
    const Node& node = graph_.node(id);
    int64_t change = 0;
    for (int i = 0; i < node.outputs; ++i) {
      const TensorId tensor = node.first_tensor + i;
      if (root_[tensor] == tensor && uses_left_[tensor] > 0) change += Bytes(tensor);
    }
    const absl::Span<const TensorId> inputs = graph_.inputs(id);
    for (size_t i = 0; i < inputs.size(); ++i) {
      const TensorId root = root_[inputs[i]];
      int edges = 0;
      bool counted = false;
      for (size_t j = 0; j < inputs.size(); ++j) {
        if (root_[inputs[j]] != root) continue;
        ++edges;
        counted = counted || j < i;
      }
      if (!counted && uses_left_[root] == edges) change -= Bytes(root);
    }
    return change;
  }

  NodeId TakeBest() {
    size_t best = 0;
    int64_t best_change = 0;
    for (size_t i = 0; i < ready_.size(); ++i) {
      const int64_t change = NetChange(ready_[i]);
      if (i == 0 || change < best_change || (change == best_change && ready_[i] < ready_[best])) {
        best = i;
        best_change = change;
      }
    }
    const NodeId node = ready_[best];
    ready_[best] = ready_.back();
    ready_.pop_back();
    return node;
  }

  const Graph& graph_;
  const Constraints& constraints_;
  // Per tensor whose buffer it is.
  std::vector<TensorId> root_;
  // Per root: edges that have not been used yet.
  std::vector<int> uses_left_;
  std::vector<NodeId> ready_;
};

}  // namespace

std::vector<NodeId> ListOrder(const Graph& graph, const Constraints& constraints) {
  return ListScheduler(graph, constraints).Order();
}

}  // namespace str::optimizer
