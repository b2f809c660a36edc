#include "optimizer/order/list_order.h"

#include <algorithm>
#include <random>

namespace str::optimizer {
namespace {

// Bytes of storages: tensors that own a buffer, each with its views.
class Storages {
 public:
  explicit Storages(const Graph& graph) : graph_(graph) {}

  TensorId root(TensorId tensor) const { return graph_.tensor(tensor).root; }

  // What the step itself needs for it.
  int64_t Bytes(TensorId root) const {
    const Tensor& tensor = graph_.tensor(root);
    const bool counts = !tensor.external && !tensor.reads_variable && graph_.node(tensor.node).in_program;
    return counts ? tensor.rounded_bytes : 0;
  }

 private:
  const Graph& graph_;
};

// Ranks the nodes that are ready and takes the best one.
class ReadyList {
 public:
  explicit ReadyList(const ListOptions& options) : options_(options), random_(options.seed) {}

  bool empty() const { return ready_.empty(); }
  void Add(NodeId node) { ready_.push_back({node, options_.seed == 0 ? 1.0 : blur_(random_)}); }

  // The node with the lowest change(node).
  template <typename Change>
  NodeId TakeBest(const Change& change) {
    size_t best = 0;
    double best_change = 0;
    for (size_t i = 0; i < ready_.size(); ++i) {
      const double own = ready_[i].blur * static_cast<double>(change(ready_[i].node));
      if (i > 0 && own > best_change) continue;
      if (i > 0 && own == best_change && !WinsTie(ready_[i].node, ready_[best].node)) continue;
      best = i;
      best_change = own;
    }
    const NodeId node = ready_[best].node;
    ready_[best] = ready_.back();
    ready_.pop_back();
    return node;
  }

 private:
  struct Ready {
    NodeId node;
    double blur;
  };
  bool WinsTie(NodeId a, NodeId b) const { return options_.ties == ListOptions::Ties::kCapturedFirst ? a < b : a > b; }

  const ListOptions options_;
  std::mt19937_64 random_;
  std::uniform_real_distribution<double> blur_{0.5, 1.5};
  std::vector<Ready> ready_;
};

class ListScheduler {
 public:
  ListScheduler(const Graph& graph, const Constraints& constraints, const ListOptions& options)
      : graph_(graph), constraints_(constraints), storages_(graph), ready_(options) {
    uses_left_.assign(graph.tensor_count(), 0);
    for (TensorId id = 0; id < graph.tensor_count(); ++id) {
      uses_left_[storages_.root(id)] += static_cast<int>(graph.consumers(id).size());
    }
  }

  std::vector<NodeId> Order() {
    const int nodes = graph_.node_count();
    std::vector<int> missing(nodes);
    for (NodeId node = 0; node < nodes; ++node) {
      missing[node] = static_cast<int>(constraints_.predecessors[node].size());
      if (missing[node] == 0) ready_.Add(node);
    }
    std::vector<NodeId> order;
    order.reserve(nodes);
    while (!ready_.empty()) {
      const NodeId node = ready_.TakeBest([this](NodeId id) { return NetChange(id); });
      order.push_back(node);
      for (TensorId input : graph_.inputs(node)) --uses_left_[storages_.root(input)];
      for (NodeId next : constraints_.successors[node]) {
        if (--missing[next] == 0) ready_.Add(next);
      }
    }
    return order;
  }

 private:
  // Memory after the node less memory before it.
  int64_t NetChange(NodeId id) const {
    const Node& node = graph_.node(id);
    int64_t change = 0;
    for (int i = 0; i < node.outputs; ++i) {
      const TensorId tensor = node.first_tensor + i;
      if (storages_.root(tensor) == tensor && uses_left_[tensor] > 0) change += storages_.Bytes(tensor);
    }
    const absl::Span<const TensorId> inputs = graph_.inputs(id);
    for (size_t i = 0; i < inputs.size(); ++i) {
      const TensorId root = storages_.root(inputs[i]);
      int edges = 0;
      bool counted = false;
      for (size_t j = 0; j < inputs.size(); ++j) {
        if (storages_.root(inputs[j]) != root) continue;
        ++edges;
        counted = counted || j < i;
      }
      if (!counted && uses_left_[root] == edges) change -= storages_.Bytes(root);
    }
    return change;
  }

  const Graph& graph_;
  const Constraints& constraints_;
  const Storages storages_;
  // Per root: edges that have not been used yet.
  std::vector<int> uses_left_;
  ReadyList ready_;
};

class ReverseListScheduler {
 public:
  ReverseListScheduler(const Graph& graph, const Constraints& constraints, const ListOptions& options)
      : graph_(graph),
        constraints_(constraints),
        storages_(graph),
        in_use_(graph.tensor_count(), false),
        ready_(options) {}

  std::vector<NodeId> Order() {
    const int nodes = graph_.node_count();
    std::vector<int> missing(nodes);
    for (NodeId node = 0; node < nodes; ++node) {
      missing[node] = static_cast<int>(constraints_.successors[node].size());
      if (missing[node] == 0) ready_.Add(node);
    }
    std::vector<NodeId> order;
    order.reserve(nodes);
    while (!ready_.empty()) {
      const NodeId node = ready_.TakeBest([this](NodeId id) { return ChangeBefore(id); });
      order.push_back(node);
      for (TensorId input : graph_.inputs(node)) in_use_[storages_.root(input)] = true;
      for (NodeId before : constraints_.predecessors[node]) {
        if (--missing[before] == 0) ready_.Add(before);
      }
    }
    std::reverse(order.begin(), order.end());
    return order;
  }

 private:
  // Memory before the node less memory after it.
  int64_t ChangeBefore(NodeId id) const {
    const Node& node = graph_.node(id);
    int64_t change = 0;
    for (int i = 0; i < node.outputs; ++i) {
      const TensorId tensor = node.first_tensor + i;
      if (in_use_[tensor] && storages_.root(tensor) == tensor) change -= storages_.Bytes(tensor);
    }
    const absl::Span<const TensorId> inputs = graph_.inputs(id);
    for (size_t i = 0; i < inputs.size(); ++i) {
      const TensorId root = storages_.root(inputs[i]);
      const auto same_root = [&](TensorId other) { return storages_.root(other) == root; };
      if (in_use_[root] || std::any_of(inputs.begin(), inputs.begin() + i, same_root)) continue;
      change += storages_.Bytes(root);
    }
    return change;
  }

  const Graph& graph_;
  const Constraints& constraints_;
  const Storages storages_;
  // Per root: whether a node that was placed takes it.
  std::vector<bool> in_use_;
  ReadyList ready_;
};

}  // namespace

std::vector<NodeId> ListOrder(const Graph& graph, const Constraints& constraints, const ListOptions& options) {
  return ListScheduler(graph, constraints, options).Order();
}

std::vector<NodeId> ReverseListOrder(const Graph& graph, const Constraints& constraints, const ListOptions& options) {
  return ReverseListScheduler(graph, constraints, options).Order();
}

}  // namespace str::optimizer
