#include "tf_plugin/graph/control_flow.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <queue>
#include <set>

#include "absl/strings/str_cat.h"
#include "tensorflow/core/framework/node_def_util.h"
#include "tensorflow/core/graph/algorithm.h"

namespace str::graph {
namespace {

using tensorflow::Edge;
using tensorflow::Graph;
using tensorflow::Node;

constexpr int kNoLoop = -1;

// Sources before users along forward edges; loops are not yet known.
std::vector<Node*> ForwardOrder(const Graph& graph) {
  std::vector<Node*> order;
  tensorflow::GetReversePostOrder(graph, &order, tensorflow::NodeComparatorName(), IsForwardEdge);
  return order;
}

bool IsLoopCondition(const Node& node) { return node.type_string() == "LoopCond"; }

// Assigns nodes to loops as the executor does: Enter leads into a frame, Exit out of it.
class LoopFinder {
 public:
  LoopFinder(const Graph& graph, const std::vector<Node*>& order) : loop_(graph.num_node_ids(), kNoLoop) {
    for (Node* node : order) Visit(node);
  }

  void MoveTo(ControlFlow& control_flow) {
    control_flow.loop = std::move(loop_);
    control_flow.loops = std::move(loops_);
  }

 private:
  void Visit(Node* node) {
    int& loop = loop_[node->id()];
    for (const Edge* edge : node->in_edges()) {
      if (IsForwardEdge(*edge)) loop = std::max(loop, LoopBehind(*edge->src()));
    }
    if (node->IsEnter()) {
      loop = FindOrAdd(*node, loop);
      loops_[loop].enters.push_back(node);
    } else if (loop != kNoLoop && node->IsExit()) {
      loops_[loop].exits.push_back(node);
    } else if (loop != kNoLoop && IsLoopCondition(*node)) {
      loops_[loop].condition = node;
    }
  }

  // The loop that users of `node` are in.
  int LoopBehind(const Node& node) const {
    const int loop = loop_[node.id()];
    return node.IsExit() && loop != kNoLoop ? loops_[loop].parent : loop;
  }

  int FindOrAdd(const Node& enter, int parent) {
    std::string frame;
    tensorflow::TryGetNodeAttr(enter.attrs(), "frame_name", &frame);
    const auto [found, added] = by_frame_.emplace(std::make_pair(frame, parent), static_cast<int>(loops_.size()));
    if (added) {
      Loop loop;
      loop.frame = frame;
      loop.parent = parent;
      loops_.push_back(std::move(loop));
    }
    return found->second;
  }

  std::vector<int> loop_;  // by node id
  std::vector<Loop> loops_;
  std::map<std::pair<std::string, int>, int> by_frame_;
};

// Something on which it depends whether a node runs: a predicate and the output of the Switch that is alive.
struct Predicate {
  std::string tensor;
  int values = 2;
  bool operator<(const Predicate& other) const { return tensor < other.tensor; }
  bool operator==(const Predicate& other) const { return tensor == other.tensor; }
};
using Condition = std::pair<Predicate, int>;
// All of them must hold.
using Conditions = std::set<Condition>;

Predicate PredicateOf(const Node& switch_node) {
  const Edge* edge = nullptr;
  if (!switch_node.input_edge(1, &edge).ok()) return {switch_node.name(), switch_node.num_outputs()};
  const Edge* before = nullptr;
  while (edge->src()->IsIdentity() && edge->src()->input_edge(0, &before).ok()) edge = before;
  return {absl::StrCat(edge->src()->name(), ":", edge->src_output()), switch_node.num_outputs()};
}

// Does at least one of the alternatives hold, whatever the predicates are?
bool CoverEveryCase(const std::vector<Conditions>& alternatives) {
  if (alternatives.empty()) return false;
  for (const Conditions& conditions : alternatives) {
    if (conditions.empty()) return true;
  }
  const Predicate predicate = alternatives.front().begin()->first;
  for (int value = 0; value < predicate.values; ++value) {
    std::vector<Conditions> left;
    for (const Conditions& conditions : alternatives) {
      Conditions others;
      bool possible = true;
      for (const Condition& condition : conditions) {
        if (!(condition.first == predicate)) {
          others.insert(condition);
        } else if (condition.second != value) {
          possible = false;
        }
      }
      if (possible) left.push_back(std::move(others));
    }
    if (!CoverEveryCase(left)) return false;
  }
  return true;
}

// A Merge runs whichever of its inputs is alive.
Conditions Merged(const Node& merge, std::vector<Conditions> alternatives) {
  if (alternatives.empty()) return {};
  Conditions shared = alternatives.front();
  for (const Conditions& conditions : alternatives) {
    Conditions both;
    std::set_intersection(shared.begin(), shared.end(), conditions.begin(), conditions.end(),
                          std::inserter(both, both.begin()));
    shared = std::move(both);
  }
  for (Conditions& conditions : alternatives) {
    for (const Condition& condition : shared) conditions.erase(condition);
  }
  // All inputs can be dead at once: a condition of its own.
  if (!CoverEveryCase(alternatives)) shared.emplace(Predicate{merge.name()}, 0);
  return shared;
}

// Follows the conditions from sources to users.
class ConditionWalk {
 public:
  explicit ConditionWalk(const ControlFlow& control_flow)
      : control_flow_(control_flow), conditions_(control_flow.loop.size()), of_loop_(control_flow.loops.size()) {
    for (const Node* node : control_flow.order) Visit(*node);
  }

  // Of a node outside of loops.
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
    const int loop = control_flow_.loop[node.id()];
    if (node.type_string() == "ControlTrigger") return;
    if (node.IsExit() && loop != kNoLoop) {
      conditions = of_loop_[loop];
      return;
    }
    std::vector<Conditions> alternatives;
    for (const Edge* edge : node.in_edges()) {
      if (!IsForwardEdge(*edge)) continue;
      Conditions along = Along(*edge);
      if (!node.IsMerge()) {
        conditions.merge(along);
      } else if (!edge->IsControlEdge()) {
        alternatives.push_back(std::move(along));
      }
    }
    if (node.IsMerge()) conditions = Merged(node, std::move(alternatives));
    if (node.IsEnter()) of_loop_[loop].insert(conditions.begin(), conditions.end());
  }

  const ControlFlow& control_flow_;
  std::vector<Conditions> conditions_;  // by node id
  std::vector<Conditions> of_loop_;     // under which the loop is entered
};

// Loops and the order; which nodes are inside is not yet known.
ControlFlow FindLoops(const Graph& graph) {
  ControlFlow control_flow;
  control_flow.order = ForwardOrder(graph);
  LoopFinder(graph, control_flow.order).MoveTo(control_flow);
  if (!control_flow.loops.empty()) {
    control_flow.order = WithMoreOrder(graph, control_flow.order, LoopOrder(control_flow.loops));
  }
  return control_flow;
}

}  // namespace

std::vector<Node*> WithMoreOrder(const Graph& graph, const std::vector<Node*>& order, const NodePairs& more) {
  std::vector<int> rank(graph.num_node_ids(), 0);
  for (size_t i = 0; i < order.size(); ++i) rank[order[i]->id()] = static_cast<int>(i);
  std::vector<std::vector<int>> users(order.size());
  std::vector<int> waiting_for(order.size(), 0);
  const auto add = [&](const Node* first, const Node* second) {
    users[rank[first->id()]].push_back(rank[second->id()]);
    ++waiting_for[rank[second->id()]];
  };
  for (const Node* node : order) {
    for (const Edge* edge : node->in_edges()) {
      if (IsForwardEdge(*edge)) add(edge->src(), node);
    }
  }
  for (const auto& [first, second] : more) add(first, second);
  std::priority_queue<int, std::vector<int>, std::greater<int>> ready;
  for (size_t i = 0; i < order.size(); ++i) {
    if (waiting_for[i] == 0) ready.push(static_cast<int>(i));
  }
  std::vector<Node*> sorted;
  while (!ready.empty()) {
    const int next = ready.top();
    ready.pop();
    sorted.push_back(order[next]);
    for (int user : users[next]) {
      if (--waiting_for[user] == 0) ready.push(user);
    }
  }
  // A loop that waits for itself: TensorFlow would not run such a graph to its end either.
  return sorted.size() == order.size() ? sorted : order;
}

bool IsForwardEdge(const Edge& edge) { return !edge.src()->IsNextIteration(); }

NodePairs LoopOrder(const std::vector<Loop>& loops) {
  NodePairs pairs;
  for (const Loop& loop : loops) {
    for (Node* enter : loop.enters) {
      if (loop.condition != nullptr) {
        pairs.emplace_back(enter, loop.condition);
      } else {
        for (Node* exit : loop.exits) pairs.emplace_back(enter, exit);
      }
    }
    if (loop.condition == nullptr) continue;
    for (Node* exit : loop.exits) pairs.emplace_back(loop.condition, exit);
  }
  return pairs;
}

int OutermostLoop(const ControlFlow& control_flow, const Node& node) {
  const std::vector<Loop>& loops = control_flow.loops;
  int loop = control_flow.loop[node.id()];
  if (loop == kNoLoop) return kNoLoop;
  while (loops[loop].parent != kNoLoop) loop = loops[loop].parent;
  return static_cast<int>(
      std::count_if(loops.begin(), loops.begin() + loop, [](const Loop& before) { return before.parent == kNoLoop; }));
}

std::vector<Node*> NodesInOrder(const Graph& graph) { return FindLoops(graph).order; }

ControlFlow AnalyzeControlFlow(const Graph& graph) {
  ControlFlow control_flow = FindLoops(graph);
  const ConditionWalk walk(control_flow);
  control_flow.inside.resize(graph.num_node_ids(), false);
  control_flow.may_be_dead.resize(graph.num_node_ids(), false);
  for (const Node* node : graph.op_nodes()) {
    const bool in_loop = control_flow.loop[node->id()] != kNoLoop;
    control_flow.may_be_dead[node->id()] = !in_loop && walk.IsConditional(*node);
    control_flow.inside[node->id()] =
        in_loop || node->IsControlFlow() || IsLoopCondition(*node) || walk.IsConditional(*node);
  }
  return control_flow;
}

}  // namespace str::graph
