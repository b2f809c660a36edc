// A search over orders and decisions together: a node moves within its slack, or neighbouring blocks of nodes change
// places, and the decisions follow.
//
// For the orders in which a plan stays poor: which of two ops runs first decides how long large tensors wait, and no
// rule for whole orders sees that. Each change of the order is evaluated anew from the graph, about a millisecond for
// some hundred nodes, so this is for small graphs and wide gaps.
#ifndef STR_STRATEGIES_STR_ORDER_MOVES_H_
#define STR_STRATEGIES_STR_ORDER_MOVES_H_

#include <cstdint>
#include <vector>

#include "optimizer/order/constraints.h"
#include "strategies/planner.h"
#include "strategies/str/evaluation.h"
#include "strategies/str/problem.h"

namespace str::strategies {

struct OrderMoveOptions {
  int64_t budget_bytes = 0;
  int64_t host_limit_bytes = 0;
  // Rounds of some hundreds of changes of the order and some thousands of the decisions.
  int rounds = 0;
  uint64_t seed = 0;
  // Ends early at a plan of at most this many seconds.
  double good_enough_seconds = 0;
};

struct OrderedDecisions {
  // All nodes, also those outside the program.
  std::vector<optimizer::NodeId> order;
  Decisions decisions;
  // Infinite: they do not fit the budget.
  double seconds = 0;
};

// The decisions of one order in another: a gap takes the decision of the gap that ended in the same use; others are
// kept. Both problems are of the same graph and options.
Decisions CarryOver(const Problem& from, const Decisions& decisions, const Problem& to);

// The best order found that respects `constraints`; at worst the start, which must respect them too.
OrderedDecisions MoveNodes(const optimizer::Graph& graph, const optimizer::Costs& costs,
                           const ProblemOptions& problem_options, const optimizer::Constraints& constraints,
                           const OrderedDecisions& start, const OrderMoveOptions& options, const Limit& limit);

}  // namespace str::strategies

#endif  // STR_STRATEGIES_STR_ORDER_MOVES_H_
