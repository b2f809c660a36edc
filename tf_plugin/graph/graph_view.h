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
#include "tf_plugin/graph/partitions.h"
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
  // What goes before what because of other devices (partitions.h), beside the graph's own edges.
  NodePairs across_devices;
  // By node id.
  std::vector<config::Recompute> recompute;
  // 16 hex digits over names, ops, edges, dtypes and static shapes.
  std::string fingerprint;
};

GraphView MakeGraphView(const tensorflow::Graph& graph, const Surroundings& surroundings = {});

// By output of a node on a GPU: whether it lies in the host's memory, as shapes and seeds do. All false on a CPU, whose
// memory is the host's.
std::vector<bool> OutputsInHostMemory(const tensorflow::Node& node);
bool IsInputInHostMemory(const tensorflow::Node& node, int input);

// dtype and static shape of one output, as the files write them.
config::Output DescribeOutput(const tensorflow::Node& node, int output, const StaticShapes& shapes);

// The step's results (_Retval) in the order of their indices. Of several devices each has some of them: there are gaps
// between the indices.
std::vector<const tensorflow::Node*> ResultsOf(const GraphView& view);

// Computes gradients and updates variables.
bool IsTrainingGraph(const tensorflow::Graph& graph);

// Why no plan can be applied to this graph, whatever the plan; empty if one can.
std::string WhyNotPlannable(const tensorflow::Graph& graph, const Surroundings& surroundings = {});

}  // namespace str::graph

#endif  // STR_TF_PLUGIN_GRAPH_GRAPH_VIEW_H_
