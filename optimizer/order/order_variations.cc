#include "optimizer/order/order_variations.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "optimizer/graph/backward.h"
#include "optimizer/order/constraints.h"
#include "optimizer/order/demand_order.h"
#include "optimizer/order/list_order.h"

namespace str::optimizer {
namespace {

// The same constraints, and the forward pass in its captured order, so that only the backward pass is reordered.
Constraints WithForwardKept(const Graph& graph, const Constraints& constraints) {
  const BackwardPass backward = FindBackward(graph);
  Constraints result = constraints;
  NodeId last = kNone;
  for (NodeId node : RepairedOrder(constraints)) {
    if (backward.nodes[node] || !graph.node(node).in_program) continue;
    if (last != kNone) {
      std::vector<NodeId>& before = result.predecessors[node];
      if (std::find(before.begin(), before.end(), last) == before.end()) {
        before.push_back(last);
        result.successors[last].push_back(node);
      }
    }
    last = node;
  }
  return result;
}

}  // namespace

std::vector<NamedOrder> OrderVariations(const Graph& graph, const std::vector<std::vector<NodeId>>& known, int most,
                                        uint64_t seed) {
  const Constraints constraints = OrderConstraints(graph);
  const Constraints forward_kept = WithForwardKept(graph, constraints);
  std::vector<NamedOrder> orders;
  const auto add = [&](std::string name, std::vector<NodeId> nodes) {
    const auto is_same = [&](const NamedOrder& other) { return other.nodes == nodes; };
    if (std::any_of(orders.begin(), orders.end(), is_same)) return;
    if (std::find(known.begin(), known.end(), nodes) != known.end()) return;
    orders.push_back({std::move(name), std::move(nodes)});
  };
  ListOptions late;
  late.ties = ListOptions::Ties::kCapturedLast;
  const std::function<void()> ways[] = {
      [&] { add("reverse-list", ReverseListOrder(graph, constraints)); },
      [&] { add("forward-kept list", ListOrder(graph, forward_kept)); },
      [&] { add("forward-kept demand", DemandOrder(graph, forward_kept)); },
      [&] { add("forward-kept reverse-list", ReverseListOrder(graph, forward_kept)); },
      [&] { add("late list", ListOrder(graph, constraints, late)); },
      [&] { add("late reverse-list", ReverseListOrder(graph, constraints, late)); },
      [&] { add("forward-kept late list", ListOrder(graph, forward_kept, late)); },
  };
  for (const auto& way : ways) {
    if (static_cast<int>(orders.size()) < most) way();
  }
  constexpr int kMostDraws = 8;
  for (int draw = 0; draw < kMostDraws && static_cast<int>(orders.size()) < most; ++draw) {
    ListOptions drawn;
    drawn.seed = seed * kMostDraws + draw + 1;
    if (draw % 2 == 0) {
      add(absl::StrCat("drawn list ", draw), ListOrder(graph, constraints, drawn));
    } else {
      add(absl::StrCat("drawn reverse-list ", draw), ReverseListOrder(graph, constraints, drawn));
    }
  }
  return orders;
}

}  // namespace str::optimizer
