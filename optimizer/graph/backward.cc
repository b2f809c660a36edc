#include "optimizer/graph/backward.h"

#include "absl/strings/match.h"

namespace str::optimizer {
namespace {

// Constants do not count: TensorFlow lets both passes take the same one, by the name of either.
bool IsMarked(const Graph& graph, NodeId id) {
  if (!graph.node(id).in_program) return false;
  const std::string& name = graph.name(id);
  return graph.node(id).recompute == config::RECOMPUTE_NOT_WANTED || absl::StrContains(name, "gradient_tape/") ||
         absl::StartsWith(name, "gradients/") || absl::StrContains(name, "/gradients/");
}

bool HasValue(const Graph& graph, NodeId id) {
  const Node& node = graph.node(id);
  for (TensorId tensor = node.first_tensor; tensor < node.first_tensor + node.outputs; ++tensor) {
    const Tensor& output = graph.tensor(tensor);
    const bool owns_buffer = output.view_of == kNone && !output.reads_variable && !output.external;
    if (owns_buffer && output.rounded_bytes > 0) return true;
  }
  return false;
}

// The first node during which most values are in use; a value is from where it is made to its last use, also as a view.
NodeId FindTurn(const Graph& graph) {
  std::vector<NodeId> last_use(graph.node_count(), kNone);
  for (NodeId id = 0; id < graph.node_count(); ++id) {
    if (!graph.node(id).in_program) continue;
    for (TensorId tensor : graph.inputs(id)) {
      for (; tensor != kNone; tensor = graph.tensor(tensor).view_of) last_use[graph.tensor(tensor).node] = id;
    }
  }
  std::vector<int> change(graph.node_count(), 0);
  int in_use = 0, most = 0;
  NodeId turn = 0;
  for (NodeId id = 0; id < graph.node_count(); ++id) {
    if (!graph.node(id).in_program) continue;
    if (last_use[id] != kNone && HasValue(graph, id)) {
      ++in_use;
      --change[last_use[id]];
    }
    in_use += change[id];
    if (in_use <= most) continue;
    most = in_use;
    turn = id;
  }
  return turn;
}

}  // namespace

BackwardPass FindBackward(const Graph& graph) {
  BackwardPass pass;
  pass.nodes.assign(graph.node_count(), false);
  for (NodeId id = 0; id < graph.node_count(); ++id) {
    if (IsMarked(graph, id)) pass.nodes[id] = pass.known = true;
  }
  if (!pass.known && graph.node_count() > 0) {
    for (NodeId id = FindTurn(graph) + 1; id < graph.node_count(); ++id) pass.nodes[id] = graph.node(id).in_program;
  }
  for (NodeId id = 0; id < graph.node_count(); ++id) {
    for (const TensorId input : graph.inputs(id)) {
      if (pass.nodes[graph.tensor(input).node]) pass.nodes[id] = true;
    }
  }
  return pass;
}

}  // namespace str::optimizer
