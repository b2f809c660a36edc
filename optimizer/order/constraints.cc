#include "optimizer/order/constraints.h"

#include <algorithm>
#include <functional>
#include <queue>

namespace str::optimizer {
namespace {

bool Changes(const Node& node) {
  return node.variable_use == config::VARIABLE_UPDATE || node.variable_use == config::VARIABLE_REPLACE;
}

class Builder {
 public:
  explicit Builder(const Graph& graph) : graph_(graph) {
    result_.predecessors.resize(graph.node_count());
    result_.successors.resize(graph.node_count());
    mark_.assign(graph.node_count(), 0);
  }

  Constraints Build() {
    for (NodeId node = 0; node < graph_.node_count(); ++node) {
      for (TensorId input : graph_.inputs(node)) Connect(graph_.tensor(input).node, node);
      for (NodeId control : graph_.controls(node)) Connect(control, node);
    }
    std::vector<std::vector<NodeId>> changes(graph_.variable_count());
    for (NodeId node = 0; node < graph_.node_count(); ++node) {
      if (Changes(graph_.node(node))) changes[graph_.node(node).variable].push_back(node);
    }
    // Edges along the captured order first: together they cannot close a cycle. The rest one by one.
    std::vector<std::pair<NodeId, NodeId>> against;
    for (NodeId read = 0; read < graph_.node_count(); ++read) {
      if (graph_.node(read).variable_use != config::VARIABLE_READ) continue;
      const std::vector<NodeId> takers = Takers(read);
      for (NodeId change : changes[graph_.node(read).variable]) {
        if (read > change) {
          Connect(change, read);
          continue;
        }
        Connect(read, change);
        for (NodeId taker : takers) {
          if (taker < change) {
            Connect(taker, change);
          } else if (taker > change) {
            against.emplace_back(taker, change);
          }
        }
      }
    }
    for (const auto& [taker, change] : against) {
      if (!Reaches(change, taker)) Connect(taker, change);
    }
    return std::move(result_);
  }

 private:
  void Connect(NodeId from, NodeId to) {
    std::vector<NodeId>& sources = result_.predecessors[to];
    if (std::find(sources.begin(), sources.end(), from) != sources.end()) return;
    sources.push_back(from);
    result_.successors[from].push_back(to);
  }

  // Everyone who takes the value that `read` reads, also by way of views.
  std::vector<NodeId> Takers(NodeId read) const {
    std::vector<NodeId> takers;
    std::vector<TensorId> open = {graph_.node(read).first_tensor};
    while (!open.empty()) {
      const TensorId tensor = open.back();
      open.pop_back();
      for (NodeId consumer : graph_.consumers(tensor)) {
        takers.push_back(consumer);
        const Node& node = graph_.node(consumer);
        for (int i = 0; i < node.outputs; ++i) {
          if (graph_.tensor(node.first_tensor + i).view_of == tensor) open.push_back(node.first_tensor + i);
        }
      }
    }
    return takers;
  }

  bool Reaches(NodeId from, NodeId to) {
    ++stamp_;
    std::vector<NodeId> open = {from};
    mark_[from] = stamp_;
    while (!open.empty()) {
      const NodeId node = open.back();
      open.pop_back();
      if (node == to) return true;
      for (NodeId next : result_.successors[node]) {
        if (mark_[next] == stamp_) continue;
        mark_[next] = stamp_;
        open.push_back(next);
      }
    }
    return false;
  }

  const Graph& graph_;
  Constraints result_;
  std::vector<int> mark_;
  int stamp_ = 0;
};

}  // namespace

Constraints OrderConstraints(const Graph& graph) { return Builder(graph).Build(); }

std::vector<NodeId> RepairedOrder(const Constraints& constraints) {
  const NodeId nodes = static_cast<NodeId>(constraints.predecessors.size());
  std::vector<size_t> missing(nodes);
  std::priority_queue<NodeId, std::vector<NodeId>, std::greater<NodeId>> ready;
  for (NodeId node = 0; node < nodes; ++node) {
    missing[node] = constraints.predecessors[node].size();
    if (missing[node] == 0) ready.push(node);
  }
  std::vector<NodeId> order;
  order.reserve(nodes);
  while (!ready.empty()) {
    const NodeId node = ready.top();
    ready.pop();
    order.push_back(node);
    for (NodeId next : constraints.successors[node]) {
      if (--missing[next] == 0) ready.push(next);
    }
  }
  return order;
}

bool Respects(const Constraints& constraints, const std::vector<NodeId>& order) {
  const size_t nodes = constraints.predecessors.size();
  if (order.size() != nodes) return false;
  std::vector<bool> done(nodes, false);
  for (NodeId node : order) {
    if (done[node]) return false;
    for (NodeId before : constraints.predecessors[node]) {
      if (!done[before]) return false;
    }
    done[node] = true;
  }
  return true;
}

}  // namespace str::optimizer
