#include "tf_plugin/rewrite/graph_verifier.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "tf_plugin/graph/control_flow.h"
#include "tf_plugin/kernels/swap_ops.h"

namespace str::rewrite {
namespace {

using tensorflow::Edge;
using tensorflow::Node;

bool IsBetweenSteps(const Node& node) {
  return node.type_string() == kernels::kSwapInWait || node.type_string() == kernels::kHold;
}

}  // namespace

absl::Status VerifyGraph(const tensorflow::Graph& graph) {
  std::vector<int> waiting_for(graph.num_node_ids(), 0);
  std::vector<const Node*> ready;
  // By node id: what waits for it because of a loop.
  std::vector<std::vector<const Node*>> behind_loop(graph.num_node_ids());
  for (const auto& [first, second] : graph::LoopOrder(graph::AnalyzeControlFlow(graph).loops)) {
    behind_loop[first->id()].push_back(second);
    ++waiting_for[second->id()];
  }
  for (const Node* node : graph.nodes()) {
    std::vector<int> edges_of_input(node->num_inputs(), 0);
    for (const Edge* edge : node->in_edges()) {
      if (graph::IsForwardEdge(*edge)) ++waiting_for[node->id()];
      if (!edge->IsControlEdge()) ++edges_of_input[edge->dst_input()];
    }
    for (size_t i = 0; i < edges_of_input.size(); ++i) {
      if (edges_of_input[i] != 1) {
        return absl::InternalError(
            absl::StrCat("node '", node->name(), "' has ", edges_of_input[i], " edges into input ", i));
      }
    }
    if (waiting_for[node->id()] == 0) ready.push_back(node);
  }
  int reached = 0;
  const auto let_go = [&](const Node* user) {
    if (--waiting_for[user->id()] == 0) ready.push_back(user);
  };
  while (!ready.empty()) {
    const Node* const node = ready.back();
    ready.pop_back();
    ++reached;
    for (const Edge* edge : node->out_edges()) {
      if (graph::IsForwardEdge(*edge)) let_go(edge->dst());
    }
    for (const Node* user : behind_loop[node->id()]) let_go(user);
  }
  if (reached == graph.num_nodes()) return absl::OkStatus();
  for (const Node* node : graph.nodes()) {
    if (waiting_for[node->id()] > 0 && node->IsOp()) {
      return absl::InternalError(absl::StrCat("node '", node->name(), "' is on or behind a cycle"));
    }
  }
  return absl::InternalError("nodes were lost");
}

absl::Status VerifyChain(const std::vector<Node*>& nodes) {
  const Node* previous = nullptr;
  for (const Node* node : nodes) {
    if (node == nullptr) continue;
    // Nodes that are no steps may stand between two: then one control edge leads to them and one from them.
    bool tied = previous == nullptr;
    for (const Edge* edge : node->in_edges()) {
      const Node* source = edge->src();
      while (source != previous && IsBetweenSteps(*source) && !tied) {
        const Node* before = nullptr;
        for (const Edge* in : source->in_edges()) {
          if (in->IsControlEdge()) before = in->src();
        }
        if (before == nullptr) break;
        source = before;
      }
      tied = tied || (edge->IsControlEdge() && source == previous);
    }
    if (!tied) {
      return absl::InternalError(absl::StrCat("node '", node->name(), "' is not tied to '", previous->name(), "'"));
    }
    previous = node;
  }
  return absl::OkStatus();
}

}  // namespace str::rewrite
