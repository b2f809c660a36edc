#include "optimizer/order/orders.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "optimizer/order/constraints.h"
#include "optimizer/order/demand_order.h"
#include "optimizer/order/list_order.h"
#include "optimizer/simulator/program.h"
#include "optimizer/simulator/simulator.h"

namespace str::optimizer {

absl::StatusOr<std::vector<CandidateOrder>> FindOrders(const Graph& graph, const Costs& costs) {
  const Constraints constraints = OrderConstraints(graph);
  std::vector<CandidateOrder> orders;
  const auto add = [&](const char* name, std::vector<NodeId> nodes) {
    for (const CandidateOrder& other : orders) {
      if (other.nodes == nodes) return;
    }
    orders.push_back({name, std::move(nodes)});
  };
  add("captured", CapturedOrder(graph));
  add("readers-first", RepairedOrder(constraints));
  add("demand", DemandOrder(graph, constraints));
  add("list", ListOrder(graph, constraints));
  Simulator simulator(&graph, &costs);
  Simulation simulation;
  SimulationDetail detail;
  detail.allocations = true;
  for (CandidateOrder& order : orders) {
    absl::Status status = simulator.Run(KeepAll(graph, order.nodes), detail, &simulation);
    if (!status.ok()) return status;
    order.peak_bytes = simulation.peak_bytes;
    for (const Allocation& allocation : simulation.allocations) {
      if (allocation.kind == Allocation::kVariableCopy) order.copied_variable_bytes += allocation.rounded_bytes;
    }
  }
  std::stable_sort(orders.begin(), orders.end(), [](const CandidateOrder& a, const CandidateOrder& b) {
    return std::tie(a.peak_bytes, a.copied_variable_bytes) < std::tie(b.peak_bytes, b.copied_variable_bytes);
  });
  return orders;
}

}  // namespace str::optimizer
