// An order by demand: every node runs just before it is first needed.
#ifndef STR_OPTIMIZER_ORDER_DEMAND_ORDER_H_
#define STR_OPTIMIZER_ORDER_DEMAND_ORDER_H_

#include <vector>

#include "optimizer/graph/graph.h"
#include "optimizer/order/constraints.h"

namespace str::optimizer {

// Depth first from the sinks, those with the fewest ancestors first: each weight or statistics update runs as soon as
// it can, and what it needs not before.
std::vector<NodeId> DemandOrder(const Graph& graph, const Constraints& constraints);

}  // namespace str::optimizer

#endif  // STR_OPTIMIZER_ORDER_DEMAND_ORDER_H_
