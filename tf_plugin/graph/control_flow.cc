#include "tf_plugin/graph/control_flow.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "tensorflow/core/framework/node_def_util.h"
#include "tensorflow/core/graph/algorithm.h"

namespace str::graph {
namespace {

using tensorflow::Edge;
using tensorflow::Node;

// Something on which it depends whether and how often a node runs: the predicate of a Switch with the output that is
// alive, or a loop's frame with kLoop.
using Condition = std::pair<std::string, int>;
using Conditions = std::set<Condition>;
constexpr int kLoop = -1;

void AddAll(const Conditions& from, Conditions& to) { to.insert(from.begin(), from.end()); }

std::string FrameOf(const Node& enter) {
  std::string frame;
  tensorflow::TryGetNodeAttr(enter.attrs(), "frame_name", &frame);
  return frame;
}

std::string PredicateOf(const Node& switch_node) {
  const Edge* edge = nullptr;
  if (!switch_node.input_edge(1, &edge).ok()) return switch_node.name();
  return absl::StrCat(edge->src()->name(), ":", edge->src_output());
}

// Follows the conditions from sources to users.
class Walk {
 public:
  explicit Walk(const tensorflow::Graph& graph) : conditions_(graph.num_node_ids()) {
    std::vector<Node*> order;
    tensorflow::GetReversePostOrder(graph, &order, /*stable_comparator=*/{}, IsNoBackEdge);
    for (const Node* node : order) Visit(*node);
  }

  bool IsConditional(const Node& node) const { return !conditions_[node.id()].empty(); }

 private:
  // What holds for whatever follows `edge`.
  Conditions Along(const Edge& edge) const {
    Conditions conditions = conditions_[edge.src()->id()];
    if (edge.src()->IsSwitch() && !edge.IsControlEdge()) {
      conditions.emplace(PredicateOf(*edge.src()), edge.src_output());
    }
    return conditions;
  }

  void Visit(const Node& node) {
    Conditions& conditions = conditions_[node.id()];
    bool first = true;
    Conditions merged;
    for (const Edge* edge : node.in_edges()) {
      if (!IsNoBackEdge(*edge)) continue;
      Conditions along = Along(*edge);
      if (!node.IsMerge() || edge->IsControlEdge()) {
        AddAll(along, conditions);
      } else if (std::exchange(first, false)) {
        merged = std::move(along);
      } else {
        // A Merge runs whichever of its inputs is alive: what only one of them needs is left behind.
        Conditions both;
        std::set_intersection(merged.begin(), merged.end(), along.begin(), along.end(),
                              std::inserter(both, both.begin()));
        merged = std::move(both);
      }
    }
    AddAll(merged, conditions);
    if (node.IsEnter()) {
      const std::string frame = FrameOf(node);
      AddAll(conditions, before_loop_[frame]);
      conditions.emplace(frame, kLoop);
    } else if (node.IsExit()) {
      LeaveLoop(conditions);
    }
  }

  // Out of the innermost loop: the one that was entered under the most conditions.
  void LeaveLoop(Conditions& conditions) const {
    const Conditions* innermost = nullptr;
    for (const auto& [frame, kind] : conditions) {
      if (kind != kLoop) continue;
      const Conditions& before = before_loop_.at(frame);
      if (innermost == nullptr || before.size() > innermost->size()) innermost = &before;
    }
    conditions = innermost == nullptr ? Conditions() : *innermost;
  }

  static bool IsNoBackEdge(const Edge& edge) { return !edge.src()->IsNextIteration(); }

  std::vector<Conditions> conditions_;             // by node id
  std::map<std::string, Conditions> before_loop_;  // by frame
};

}  // namespace

std::vector<bool> InsideControlFlow(const tensorflow::Graph& graph) {
  std::vector<bool> inside(graph.num_node_ids(), false);
  const Walk walk(graph);
  for (const Node* node : graph.op_nodes()) {
    inside[node->id()] = node->IsControlFlow() || node->type_string() == "LoopCond" || walk.IsConditional(*node);
  }
  return inside;
}

}  // namespace str::graph
