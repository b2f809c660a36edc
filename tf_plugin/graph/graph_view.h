// File: graph_view.h
//
// One partition as both capture and rewrite see it: a deterministic topological order, static shapes, which nodes are
// left alone, and the fingerprint. Both must see the same, or a plan would not find its graph again.
#ifndef STR_TF_PLUGIN_GRAPH_GRAPH_VIEW_H_
#define STR_TF_PLUGIN_GRAPH_GRAPH_VIEW_H_

#include <string>
#include <vector>

#include "config/graph.pb.h"
#include "tensorflow/core/graph/graph.h"
#include "tf_plugin/graph/control_flow.h"
#include "tf_plugin/graph/static_shapes.h"

namespace str::graph {

// Smaller graphs are eager ops and helpers, never a training step.
inline constexpr int kSmallestGraphNodes = 16;

// Prefix of every node that STR adds.
inline constexpr char kNodePrefix[] = "str/";

struct GraphView {
  // Every op node, sources before users, what enters a loop before what leaves it; the same in every process.
  std::vector<tensorflow::Node*> order;
  StaticShapes shapes;
  ControlFlow control_flow;
  // By node id.
  std::vector<config::Recompute> recompute;
  // 16 hex digits over names, ops, edges, dtypes and static shapes.
  std::string fingerprint;
};

GraphView MakeGraphView(const tensorflow::Graph& graph);

// dtype and static shape of one output, as the files write them.
config::Output DescribeOutput(const tensorflow::Node& node, int output, const StaticShapes& shapes);

// The step's results (_Retval) by their index; null where there is none.
std::vector<const tensorflow::Node*> ResultsOf(const GraphView& view);

// Computes gradients and updates variables.
bool IsTrainingGraph(const tensorflow::Graph& graph);

// Why no plan can be applied to this graph, whatever the plan; empty if one can.
std::string WhyNotPlannable(const tensorflow::Graph& graph);

}  // namespace str::graph

#endif  // STR_TF_PLUGIN_GRAPH_GRAPH_VIEW_H_
