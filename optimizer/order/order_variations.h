// Orders besides those of orders.h, for planners in which orders compete by what a plan in them costs.
//
// The order that needs the least memory with everything kept is often a poor one to plan in: what counts there is how
// long large tensors wait for their next use, and what an op needs at once. No rule is best for every graph, so there
// are many.
#ifndef STR_OPTIMIZER_ORDER_ORDER_VARIATIONS_H_
#define STR_OPTIMIZER_ORDER_ORDER_VARIATIONS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "optimizer/graph/graph.h"

namespace str::optimizer {

struct NamedOrder {
  std::string name;
  // All nodes, also those outside the program.
  std::vector<NodeId> nodes;
};

// At most `most` orders, without repetition and different from all of `known`, those that most often help first. The
// last ones are drawn with `seed`.
std::vector<NamedOrder> OrderVariations(const Graph& graph, const std::vector<std::vector<NodeId>>& known, int most,
                                        uint64_t seed);

}  // namespace str::optimizer

#endif  // STR_OPTIMIZER_ORDER_ORDER_VARIATIONS_H_
