// Whether the nodes of a graph file stand in an order in which they can run.
#ifndef STR_CONFIG_GRAPH_ORDER_H_
#define STR_CONFIG_GRAPH_ORDER_H_

#include <vector>

#include "absl/status/status.h"
#include "config/graph.pb.h"

namespace str::config {

// `predecessors[i]`: indices of the nodes that node i needs, by data or control; all within the graph.
// A graph that no order can satisfy gets its cycle named, one that is merely written in the wrong order the pair.
absl::Status CheckTopologicalOrder(const GraphFile& graph, const std::vector<std::vector<int>>& predecessors);

}  // namespace str::config

#endif  // STR_CONFIG_GRAPH_ORDER_H_
