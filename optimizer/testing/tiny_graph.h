// Graphs so small that tests can try everything.
#ifndef STR_OPTIMIZER_TESTING_TINY_GRAPH_H_
#define STR_OPTIMIZER_TESTING_TINY_GRAPH_H_

#include <cstdint>
#include <vector>

#include "optimizer/cost/costs.h"
#include "optimizer/graph/graph.h"
#include "optimizer/testing/graph_builder.h"

namespace str::optimizer {

// 5 to `most_nodes` nodes of one output each; most take the one before, and some an earlier one. Copies are so slow
// that none pays. Outputs have 1 to 6 MiB, or 1 MiB each if sizes are equal.
GraphBuilder RandomTinyGraph(uint64_t seed, int most_nodes, bool equal_sizes);

enum class FirstRunsIn { kThisOrder, kAnyOrder };

// The least time of any program without copies, infinite if none fits the budget: the shortest path through all states
// of the machine, which are which nodes have run and whose outputs are there. `order` holds each node once; at most
// about ten.
double LeastSecondsWithoutCopies(const Graph& graph, const Costs& costs, const std::vector<NodeId>& order,
                                 int64_t budget_bytes, FirstRunsIn first_runs);

}  // namespace str::optimizer

#endif  // STR_OPTIMIZER_TESTING_TINY_GRAPH_H_
