// Which nodes of a training step are its forward pass, and the values that they make, as Kusumoto's search needs them.
//
// Backward is what optimizer/graph/backward.h says, and all that must come after it. Forward nodes that must not run
// again are always kept and no values of their own.
// Values are condensed: views and results in the buffer of their input belong to the value they come from, and beyond
// kMostValues the smallest neighbours are one value.
#ifndef STR_STRATEGIES_KUSUMOTO_FORWARD_PART_H_
#define STR_STRATEGIES_KUSUMOTO_FORWARD_PART_H_

#include <cstdint>
#include <vector>

#include "optimizer/graph/graph.h"
#include "optimizer/order/constraints.h"
#include "strategies/kusumoto/value_graph.h"
#include "strategies/planner.h"

namespace str::strategies::kusumoto {

// The search's time grows with their square.
inline constexpr int kMostValues = 640;

struct ForwardPart {
  ValueGraph values;
  // By node: the value it belongs to, or -1.
  std::vector<int> value_of;
  // By node.
  std::vector<bool> backward;
  // All nodes, in an order that works, and why.
  std::vector<optimizer::NodeId> order;
  optimizer::Constraints constraints;
  // In memory whatever the plan is.
  int64_t fixed_bytes = 0;
};

// In `base_order` (base_order.h) if it keeps readers of variables before their updates, else in the captured order.
ForwardPart FindForwardPart(const PlanRequest& request, const std::vector<optimizer::NodeId>& base_order);

}  // namespace str::strategies::kusumoto

#endif  // STR_STRATEGIES_KUSUMOTO_FORWARD_PART_H_
