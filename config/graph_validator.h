// The rules of a graph file beyond its syntax. Behind this check, code may take them for granted:
// a known version; nodes with unique names in topological order; inputs and control inputs that exist; no negative size
// or time, and sums over the graph (sizes rounded up to the granule) that fit int64; a granule that is a power of two;
// buffer sharing that names existing inputs; variables that name existing nodes; at least one byte somewhere.
#ifndef STR_CONFIG_GRAPH_VALIDATOR_H_
#define STR_CONFIG_GRAPH_VALIDATOR_H_

#include "absl/status/status.h"
#include "config/graph.pb.h"

namespace str::config {

// InvalidArgument naming the node and the rule; the first violation found.
absl::Status ValidateGraph(const GraphFile& graph);

}  // namespace str::config

#endif  // STR_CONFIG_GRAPH_VALIDATOR_H_
