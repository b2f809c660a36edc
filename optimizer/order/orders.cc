#include "optimizer/order/orders.h"

#include <algorithm>

#include "optimizer/order/constraints.h"
#include "optimizer/order/demand_order.h"
#include "optimizer/order/list_order.h"
#include "optimizer/simulator/program.h"
#include "optimizer/simulator/simulator.h"

namespace str::optimizer {

absl::StatusOr<std::vector<CandidateOrder>> FindOrders(const Graph& graph, const Costs& costs) {
  const Constraints constraints = OrderConstraints(graph);
  std::vector<CandidateOrder> orders = {{"captured", CapturedOrder(graph)},
                                        {"demand", DemandOrder(graph, constraints)},
                                        {"list", ListOrder(graph, constraints)}};
  Simulator simulator(&graph, &costs);
  Simulation simulation;
  for (CandidateOrder& order : orders) {
    absl::Status status = simulator.Run(KeepAll(graph, order.nodes), SimulationDetail(), &simulation);
    if (!status.ok()) return status;
    order.peak_bytes = simulation.peak_bytes;
  }
  std::stable_sort(orders.begin(), orders.end(),
                   [](const CandidateOrder& a, const CandidateOrder& b) { return a.peak_bytes < b.peak_bytes; });
  return orders;
}

}  // namespace str::optimizer
