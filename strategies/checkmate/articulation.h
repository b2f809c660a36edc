// Articulation points: values without which what comes before and what comes after are not connected.
#ifndef STR_STRATEGIES_CHECKMATE_ARTICULATION_H_
#define STR_STRATEGIES_CHECKMATE_ARTICULATION_H_

#include <vector>

#include "strategies/staged/staged_graph.h"

namespace str::strategies {

// Of the graph of these positions (ascending) with a source before the first of them and a sink after the last, edges
// taken as undirected: those whose removal disconnects it. In a chain, all. Ascending.
std::vector<int> ArticulationPoints(const StagedGraph& staged, const std::vector<int>& positions);

// The main road through these positions (ascending): from the value from which most others follow, to the one that
// follows from most; whatever is on a way between the two. Weights and what is made of them alone hang off it and would
// make an articulation point of whatever takes them.
std::vector<int> Backbone(const StagedGraph& staged, const std::vector<int>& positions);

}  // namespace str::strategies

#endif  // STR_STRATEGIES_CHECKMATE_ARTICULATION_H_
