// A greedy order: of the nodes that can run, always the one that leaves the least memory behind.
#ifndef STR_OPTIMIZER_ORDER_LIST_ORDER_H_
#define STR_OPTIMIZER_ORDER_LIST_ORDER_H_

#include <vector>

#include "optimizer/graph/graph.h"
#include "optimizer/order/constraints.h"

namespace str::optimizer {

// Ties go to the node that was captured first.
std::vector<NodeId> ListOrder(const Graph& graph, const Constraints& constraints);

}  // namespace str::optimizer

#endif  // STR_OPTIMIZER_ORDER_LIST_ORDER_H_
