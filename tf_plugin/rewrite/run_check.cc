#include "tf_plugin/rewrite/run_check.h"

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "tf_plugin/graph/control_flow.h"
#include "tf_plugin/graph/op_facts.h"

namespace str::rewrite {
namespace {

using tensorflow::Edge;
using tensorflow::Node;

// Replaced by a constant where the input's shape is known, whatever the input is.
bool AsksForAShape(const Node& node) {
  static const auto* const kOps = new absl::flat_hash_set<std::string>({"Shape", "ShapeN", "Rank", "Size"});
  return kOps->contains(node.type_string());
}

bool HasControlInput(const Node& node) {
  for (const Edge* edge : node.in_edges()) {
    if (edge->IsControlEdge() && edge->src()->IsOp()) return true;
  }
  return false;
}

}  // namespace

std::vector<bool> MayBeFolded(const tensorflow::Graph& graph) {
  std::vector<bool> folded(graph.num_node_ids(), false);
  for (const Node* node : graph::NodesInOrder(graph)) {
    if (!node->IsOp()) continue;
    // An Identity without control inputs is left out when functions are inlined.
    bool may_be =
        graph::IsNeverComputed(*node) || AsksForAShape(*node) || (node->IsIdentity() && !HasControlInput(*node));
    if (!may_be && !node->op_def().is_stateful() && !node->IsArg()) {
      may_be = true;
      for (const Edge* edge : node->in_edges()) may_be = may_be && (!edge->src()->IsOp() || folded[edge->src()->id()]);
    }
    folded[node->id()] = may_be;
  }
  return folded;
}

std::vector<ProgramNode> ProgramNodes(const std::vector<Node*>& nodes, const tensorflow::Graph& graph) {
  const std::vector<bool> folded = MayBeFolded(graph);
  std::vector<ProgramNode> program(nodes.size());
  for (size_t i = 0; i < nodes.size(); ++i) {
    if (nodes[i] == nullptr) continue;
    program[i] = {nodes[i]->name(), folded[nodes[i]->id()] ? ProgramNode::kMayRun : ProgramNode::kMustRun};
  }
  return program;
}

void RunCheck::Starting(int index) {
  ++nodes_run_;
  ++runs_[index];
  if (noted_.empty() && runs_[index] > 1) {
    noted_ = absl::StrCat("node '", nodes_[index].name, "' ran more than once");
  } else if (noted_.empty() && index < last_started_) {
    noted_ = absl::StrCat("node '", nodes_[index].name, "' ran after '", nodes_[last_started_].name,
                          "', which comes later in the program");
  }
  last_started_ = index;
}

std::string RunCheck::Problem(int calls) const {
  if (calls == 1 && !noted_.empty()) return noted_;
  const std::string in_calls = calls > 1 ? absl::StrCat(" in each of ", calls, " calls at once") : "";
  int missing = 0;
  std::string first;
  for (size_t i = 0; i < nodes_.size(); ++i) {
    if (runs_[i] > calls) return absl::StrCat("node '", nodes_[i].name, "' ran more than once", in_calls);
    if (nodes_[i].need != ProgramNode::kMustRun || runs_[i] == calls) continue;
    if (missing++ == 0) first = nodes_[i].name;
  }
  if (missing == 0) return "";
  return absl::StrCat("node '", first, "' did not run", in_calls,
                      missing > 1 ? absl::StrCat(", nor did ", missing - 1, " more") : "");
}

}  // namespace str::rewrite
