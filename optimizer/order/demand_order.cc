#include "optimizer/order/demand_order.h"

#include <algorithm>
#include <cstdint>

namespace str::optimizer {
namespace {

// Exact counts take a bit per pair of nodes; beyond this many nodes the depth stands in for them.
constexpr int kMostNodesCounted = 20000;

// Any order that respects the constraints.
std::vector<NodeId> AnyOrder(const Constraints& constraints) {
  const int nodes = static_cast<int>(constraints.predecessors.size());
  std::vector<int> missing(nodes);
  std::vector<NodeId> order;
  order.reserve(nodes);
  for (NodeId node = 0; node < nodes; ++node) {
    missing[node] = static_cast<int>(constraints.predecessors[node].size());
    if (missing[node] == 0) order.push_back(node);
  }
  for (size_t i = 0; i < order.size(); ++i) {
    for (NodeId next : constraints.successors[order[i]]) {
      if (--missing[next] == 0) order.push_back(next);
    }
  }
  return order;
}

std::vector<int> AncestorCounts(const Constraints& constraints, const std::vector<NodeId>& order) {
  const int nodes = static_cast<int>(order.size());
  const int words = (nodes + 63) / 64;
  std::vector<uint64_t> bits(static_cast<size_t>(nodes) * words, 0);
  std::vector<int> counts(nodes, 0);
  for (NodeId node : order) {
    uint64_t* own = bits.data() + static_cast<size_t>(node) * words;
    for (NodeId before : constraints.predecessors[node]) {
      const uint64_t* other = bits.data() + static_cast<size_t>(before) * words;
      for (int w = 0; w < words; ++w) own[w] |= other[w];
      own[before / 64] |= uint64_t{1} << (before % 64);
    }
    for (int w = 0; w < words; ++w) counts[node] += __builtin_popcountll(own[w]);
  }
  return counts;
}

std::vector<int> Depths(const Constraints& constraints, const std::vector<NodeId>& order) {
  std::vector<int> depths(order.size(), 0);
  for (NodeId node : order) {
    for (NodeId before : constraints.predecessors[node]) depths[node] = std::max(depths[node], depths[before] + 1);
  }
  return depths;
}

}  // namespace

std::vector<NodeId> DemandOrder(const Graph& graph, const Constraints& constraints) {
  const int nodes = graph.node_count();
  const std::vector<NodeId> any = AnyOrder(constraints);
  const std::vector<int> ancestors =
      nodes <= kMostNodesCounted ? AncestorCounts(constraints, any) : Depths(constraints, any);
  const auto fewer_ancestors = [&](NodeId a, NodeId b) {
    return ancestors[a] != ancestors[b] ? ancestors[a] < ancestors[b] : a < b;
  };
  std::vector<NodeId> sinks;
  std::vector<std::vector<NodeId>> needs(nodes);
  for (NodeId node = 0; node < nodes; ++node) {
    if (constraints.successors[node].empty()) sinks.push_back(node);
    needs[node] = constraints.predecessors[node];
    std::sort(needs[node].begin(), needs[node].end(), fewer_ancestors);
  }
  std::sort(sinks.begin(), sinks.end(), fewer_ancestors);

  std::vector<NodeId> order;
  order.reserve(nodes);
  std::vector<bool> seen(nodes, false);
  struct Frame {
    NodeId node;
    size_t next;
  };
  std::vector<Frame> stack;
  for (NodeId sink : sinks) {
    if (seen[sink]) continue;
    seen[sink] = true;
    stack.push_back({sink, 0});
    while (!stack.empty()) {
      Frame& frame = stack.back();
      if (frame.next == needs[frame.node].size()) {
        order.push_back(frame.node);
        stack.pop_back();
        continue;
      }
      const NodeId need = needs[frame.node][frame.next++];
      if (seen[need]) continue;
      seen[need] = true;
      stack.push_back({need, 0});
    }
  }
  return order;
}

}  // namespace str::optimizer
