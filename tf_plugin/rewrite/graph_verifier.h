// File: graph_verifier.h
//
// Checks of a rewritten graph, before it is used: what fails here is a bug of ours, and the graph must not
// be run.
#ifndef STR_TF_PLUGIN_REWRITE_GRAPH_VERIFIER_H_
#define STR_TF_PLUGIN_REWRITE_GRAPH_VERIFIER_H_

#include <vector>

#include "absl/status/status.h"
#include "tensorflow/core/graph/graph.h"

namespace str::rewrite {

// No cycle, but for those of loops, where all that enters a loop counts as needed for all that leaves it; and every
// data input of every node has exactly one edge.
absl::Status VerifyGraph(const tensorflow::Graph& graph);

// The nodes, in this order, are tied one behind the other. Null entries are passed over.
absl::Status VerifyChain(const std::vector<tensorflow::Node*>& nodes);

}  // namespace str::rewrite

#endif  // STR_TF_PLUGIN_REWRITE_GRAPH_VERIFIER_H_
