// File: control_flow.h
//
// Which nodes of a graph may run several times in one step, or not at all. This is the one place that decides it; a
// program contains none of them, because everything tied behind a node that does not run would not run either.
//
// TensorFlow's executor knows two ways for a node not to run. A node is *dead* if it receives a dead value: the
// executor passes it over and passes on that its outputs are dead. A node is *stuck* if one of its inputs never
// arrives: the executor then ends the step without it, and reports no error. The cases:
//
//   node                                     runs                        rule here
//   between Enter and Exit (a frame)         once per iteration          inside
//   Enter, Exit, Merge, Switch, _SwitchN,    with their frame or branch  inside
//     RefSwitch, LoopCond, NextIteration
//   behind output k of a Switch              if the predicate is k       inside; condition (predicate, k)
//   behind a Merge                           if any data input is alive  the condition that all inputs share, if the
//                                                                        inputs cover every value of their predicates;
//                                                                        else inside
//   Merge with a control edge from a dead    all the same                control edges into a Merge are no condition
//     node
//   other node with a control edge from a    never: it is dead           condition of the edge's source
//     dead node
//   ControlTrigger                           always                      no condition
//   behind an Exit, the loop ran 0 times     once, with the first value  conditions of all Enters of the loop
//   behind an Exit, before some Enter of     never: it is stuck          LoopOrder() ties every Enter before every Exit
//     the same loop can run
//   If, Case, While that were not lowered,   once, as one node           not inside
//     calls of functions, and of functional
//     RNN implementations among them
//   _Retval of a dead value                  no result                   may_be_dead
//
// The back edges of loops (out of NextIteration) are left out wherever an order is made: with them there is none. What
// they say is kept by LoopOrder: a value that leaves a loop may depend on every value that enters it.
#ifndef STR_TF_PLUGIN_GRAPH_CONTROL_FLOW_H_
#define STR_TF_PLUGIN_GRAPH_CONTROL_FLOW_H_

#include <string>
#include <utility>
#include <vector>

#include "tensorflow/core/graph/graph.h"

namespace str::graph {

struct Loop {
  // TensorFlow's name of the frame, which is that of the `while`.
  std::string frame;
  // Index of the loop around it in ControlFlow::loops; -1 if there is none.
  int parent = -1;
  std::vector<tensorflow::Node*> enters;
  std::vector<tensorflow::Node*> exits;
  // Null only in graphs that TensorFlow itself would not run.
  tensorflow::Node* condition = nullptr;
};

struct ControlFlow {
  // By node id: the node may run several times or not at all, or steers what does.
  std::vector<bool> inside;
  // By node id: outside of loops, but not alive in every step.
  std::vector<bool> may_be_dead;
  // By node id: index of the innermost loop that the node is part of; -1 if none.
  std::vector<int> loop;
  std::vector<Loop> loops;
  // As NodesInOrder.
  std::vector<tensorflow::Node*> order;
};

ControlFlow AnalyzeControlFlow(const tensorflow::Graph& graph);

// Which of the loops that are in no other, counted in their order in ControlFlow::loops, the node is part of; -1: none.
int OutermostLoop(const ControlFlow& control_flow, const tensorflow::Node& node);

// Pairs of nodes (first, second): what the graph's edges leave open because back edges are left out.
using NodePairs = std::vector<std::pair<tensorflow::Node*, tensorflow::Node*>>;
NodePairs LoopOrder(const std::vector<Loop>& loops);

// `order`, a topological order of all nodes of `graph`, with the pairs of `more` in order too: otherwise as it was.
// Pairs that contradict the graph's edges change nothing.
std::vector<tensorflow::Node*> WithMoreOrder(const tensorflow::Graph& graph,
                                             const std::vector<tensorflow::Node*>& order, const NodePairs& more);

// False for the back edges of loops.
bool IsForwardEdge(const tensorflow::Edge& edge);

// Every node, the source and the sink included: sources before users along forward edges, and what enters a loop before
// what leaves it. The same in every process.
std::vector<tensorflow::Node*> NodesInOrder(const tensorflow::Graph& graph);

}  // namespace str::graph

#endif  // STR_TF_PLUGIN_GRAPH_CONTROL_FLOW_H_
