#include "tf_plugin/graph/control_flow.h"

namespace str::graph {

std::vector<bool> InsideControlFlow(const tensorflow::Graph& graph) {
  std::vector<bool> inside(graph.num_node_ids(), false);
  std::vector<const tensorflow::Node*> to_visit;
  const auto add = [&](const tensorflow::Node* node) {
    if (!node->IsOp() || inside[node->id()]) return;
    inside[node->id()] = true;
    to_visit.push_back(node);
  };
  for (const tensorflow::Node* node : graph.op_nodes()) {
    if (node->IsControlFlow() || node->type_string() == "LoopCond") add(node);
  }
  // What a Switch or Enter feeds is inside, until a Merge or Exit lets it out. A Merge inside a loop feeds loop nodes,
  // but those are reached from the loop's Switch as well.
  while (!to_visit.empty()) {
    const tensorflow::Node* const node = to_visit.back();
    to_visit.pop_back();
    if (node->IsMerge() || node->IsExit()) continue;
    for (const tensorflow::Edge* edge : node->out_edges()) add(edge->dst());
  }
  // A loop's condition is fed by the Merge itself.
  std::vector<const tensorflow::Node*> towards;
  for (const tensorflow::Node* node : graph.op_nodes()) {
    if (node->type_string() == "LoopCond") towards.push_back(node);
  }
  while (!towards.empty()) {
    const tensorflow::Node* const node = towards.back();
    towards.pop_back();
    for (const tensorflow::Edge* edge : node->in_edges()) {
      const tensorflow::Node* const source = edge->src();
      if (!source->IsOp() || inside[source->id()] || source->IsConstant()) continue;
      inside[source->id()] = true;
      towards.push_back(source);
    }
  }
  return inside;
}

}  // namespace str::graph
