#include "strategies/base_order.h"

#include <utility>

#include "optimizer/order/orders.h"
#include "optimizer/simulator/program.h"

namespace str::strategies {

absl::StatusOr<std::vector<optimizer::NodeId>> BaseOrder(const PlanRequest& request) {
  if (!request.placed) return optimizer::CapturedOrder(*request.graph);
  absl::StatusOr<std::vector<optimizer::CandidateOrder>> orders = optimizer::FindOrders(*request.graph, *request.costs);
  if (!orders.ok()) return orders.status();
  return std::move(orders->front().nodes);
}

}  // namespace str::strategies
