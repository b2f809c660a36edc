// Orders in which to run a graph, the least memory first.
#ifndef STR_OPTIMIZER_ORDER_ORDERS_H_
#define STR_OPTIMIZER_ORDER_ORDERS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "optimizer/cost/costs.h"
#include "optimizer/graph/graph.h"

namespace str::optimizer {

struct CandidateOrder {
  // "captured", "readers-first" (captured, with readers of variables before their updates), "demand", "list".
  std::string name;
  // All nodes, also those outside the program.
  std::vector<NodeId> nodes;
  // By the judge, with everything kept.
  int64_t peak_bytes = 0;
  // Of variables that are copied because they are updated while readers hold them.
  int64_t copied_variable_bytes = 0;
};

// Lowest peak first; among equals the one that copies fewer variables, then in the order above. Without repetition,
// never empty.
absl::StatusOr<std::vector<CandidateOrder>> FindOrders(const Graph& graph, const Costs& costs);

}  // namespace str::optimizer

#endif  // STR_OPTIMIZER_ORDER_ORDERS_H_
