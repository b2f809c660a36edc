// File: small_differences.h
//
// A strategy for a graph that is almost this one: it differs in small nodes only, such as TensorFlow's passes produce
// when they choose differently in another process. The program is then used without them: a small node that only the
// graph has runs as soon as it is ready, one that only the strategy has is left out. That cannot make a value wrong, as
// every node still takes its inputs as this graph has them; and it changes the peak by little.
#ifndef STR_TF_PLUGIN_REWRITE_SMALL_DIFFERENCES_H_
#define STR_TF_PLUGIN_REWRITE_SMALL_DIFFERENCES_H_

#include <optional>
#include <string>

#include "config/strategy.pb.h"
#include "tf_plugin/graph/graph_view.h"

namespace str::rewrite {

struct AdaptedStrategy {
  config::StrategyFile strategy;
  // How many nodes only one of the two has, and the first of them.
  int differing_nodes = 0;
  std::string first;
};

// Absent if there is no difference of nodes, or more than small ones:
// - a node whose outputs take 64 KiB or more, or are of unknown size;
// - a node of the graph that would hold an input of that size until it runs, or that uses a variable;
// - a node of the strategy without outputs: it is there for an effect;
// - a node that is swapped or recomputed, or another output of a node that both have;
// - more than one node in twenty, or another TensorFlow.
std::optional<AdaptedStrategy> AdaptToSmallDifferences(const config::StrategyFile& strategy,
                                                       const graph::GraphView& view);

// The pass of TensorFlow that names or makes such nodes, with what to do: for refusals. Empty if none is known.
std::string ProbablePass(const std::string& node, const std::string& op);

}  // namespace str::rewrite

#endif  // STR_TF_PLUGIN_REWRITE_SMALL_DIFFERENCES_H_
