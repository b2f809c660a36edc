// Greedy orders: of the nodes that can run, always the one with the best rank.
#ifndef STR_OPTIMIZER_ORDER_LIST_ORDER_H_
#define STR_OPTIMIZER_ORDER_LIST_ORDER_H_

#include <cstdint>
#include <vector>

#include "optimizer/graph/graph.h"
#include "optimizer/order/constraints.h"

namespace str::optimizer {

struct ListOptions {
  enum class Ties {
    // To the node that was captured first.
    kCapturedFirst,
    // To the node that was captured last: nodes near the end of the graph run as soon as they can.
    kCapturedLast,
  };
  Ties ties = Ties::kCapturedFirst;
  // Not 0: every rank is blurred by up to half of its bytes, drawn with this seed.
  uint64_t seed = 0;
};

// The best node is the one that leaves the least memory behind.
std::vector<NodeId> ListOrder(const Graph& graph, const Constraints& constraints, const ListOptions& options = {});

// The same from the end: of the nodes whose successors are all placed, the one before which the least memory is in use
// is placed last.
std::vector<NodeId> ReverseListOrder(const Graph& graph, const Constraints& constraints,
                                     const ListOptions& options = {});

}  // namespace str::optimizer

#endif  // STR_OPTIMIZER_ORDER_LIST_ORDER_H_
