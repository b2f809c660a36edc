// File: control_flow.h
//
// Nodes that a plan must leave alone because they may run several times or not at all in one step: loop bodies, the
// branches of conditionals, and the nodes that steer them.
#ifndef STR_TF_PLUGIN_GRAPH_CONTROL_FLOW_H_
#define STR_TF_PLUGIN_GRAPH_CONTROL_FLOW_H_

#include <vector>

#include "tensorflow/core/graph/graph.h"

namespace str::graph {

// By node id: is the node inside control flow, or part of it?
std::vector<bool> InsideControlFlow(const tensorflow::Graph& graph);

}  // namespace str::graph

#endif  // STR_TF_PLUGIN_GRAPH_CONTROL_FLOW_H_
