// Which nodes of a program come before which others in every order, because edges lead from one to the other.
#ifndef STR_OPTIMIZER_BOUND_REACH_H_
#define STR_OPTIMIZER_BOUND_REACH_H_

#include <cstdint>
#include <vector>

#include "optimizer/cost/costs.h"
#include "optimizer/graph/graph.h"

namespace str::optimizer {

class Reach {
 public:
  // `order` holds each node of the program once, after those that it depends on. Positions are places in it. Takes
  // memory and time of the order of positions^2 / 8 bytes.
  Reach(const Graph& graph, const Costs& costs, const std::vector<NodeId>& order);

  // Whether `to` depends on `from`, by tensors or control edges; false for a node and itself.
  bool Reaches(int from, int to) const { return (rows_[from * words_ + to / 64] >> (to % 64) & 1) != 0; }
  // Of the node with all that it depends on: it ends at this time at the earliest.
  double SecondsUpTo(int position) const { return seconds_up_to_[position]; }
  // Of the node with all that depends on it: so long before the end it begins at the latest.
  double SecondsFrom(int position) const { return seconds_from_[position]; }

 private:
  const size_t words_;
  // By position, a bit for each position that it reaches.
  std::vector<uint64_t> rows_;
  std::vector<double> seconds_up_to_, seconds_from_;
};

}  // namespace str::optimizer

#endif  // STR_OPTIMIZER_BOUND_REACH_H_
