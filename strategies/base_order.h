// The order of first runs for planners that decide on none: offline ones, which could choose it.
//
// Graphs of the literature are in the order that their authors plan for. A captured graph is in the order in which
// TensorFlow happened to run what was ready, which may hold more than a plan can save, such as every gradient of an
// activation until the gradients of weights are run at the end: there it is the order of least memory with everything
// kept (optimizer/order/orders.h), as for keep-all.
#ifndef STR_STRATEGIES_BASE_ORDER_H_
#define STR_STRATEGIES_BASE_ORDER_H_

#include <vector>

#include "absl/status/statusor.h"
#include "optimizer/graph/graph.h"
#include "strategies/planner.h"

namespace str::strategies {

// All nodes, also those outside the program.
absl::StatusOr<std::vector<optimizer::NodeId>> BaseOrder(const PlanRequest& request);

}  // namespace str::strategies

#endif  // STR_STRATEGIES_BASE_ORDER_H_
