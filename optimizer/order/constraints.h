// What an order of a graph's nodes must respect, and should.
//
// Must: data and control edges. Should: whoever takes a variable's value, through views too, runs before the variable
// is updated, so that the update finds no reader and need not copy the variable. A reader that depends on the update is
// exempt. A read stays on the side of an update on which it was captured, also where no edge says so.
#ifndef STR_OPTIMIZER_ORDER_CONSTRAINTS_H_
#define STR_OPTIMIZER_ORDER_CONSTRAINTS_H_

#include <vector>

#include "optimizer/graph/graph.h"

namespace str::optimizer {

struct Constraints {
  // Per node, without repetition, nodes outside the program included.
  std::vector<std::vector<NodeId>> predecessors;
  std::vector<std::vector<NodeId>> successors;
};

// Never a cycle.
Constraints OrderConstraints(const Graph& graph);

// The captured order with as little changed as the constraints demand: always the node that was captured first of
// those that can run.
std::vector<NodeId> RepairedOrder(const Constraints& constraints);

// Whether every node comes after all its predecessors, each once.
bool Respects(const Constraints& constraints, const std::vector<NodeId>& order);

}  // namespace str::optimizer

#endif  // STR_OPTIMIZER_ORDER_CONSTRAINTS_H_
