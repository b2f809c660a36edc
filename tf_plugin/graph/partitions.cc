#include "tf_plugin/graph/partitions.h"

#include <set>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "tensorflow/core/framework/node_def_util.h"
#include "tf_plugin/graph/control_flow.h"

namespace str::graph {
namespace {

using tensorflow::Edge;
using tensorflow::Graph;
using tensorflow::Node;
using tensorflow::PartialTensorShape;

// Equal for a Send and its Recv.
std::string KeyOf(const Node& node) {
  std::string sender, receiver, tensor;
  tensorflow::TryGetNodeAttr(node.attrs(), "send_device", &sender);
  tensorflow::TryGetNodeAttr(node.attrs(), "recv_device", &receiver);
  tensorflow::TryGetNodeAttr(node.attrs(), "tensor_name", &tensor);
  return absl::StrCat(sender, ";", receiver, ";", tensor);
}

// Both ends of each pair.
struct Union {
  explicit Union(const Partitions& partitions) {
    absl::flat_hash_map<std::string, const Node*> receivers;
    for (const auto& [device, graph] : partitions) {
      for (const Node* node : graph->op_nodes()) {
        graph_of[node] = graph;
        if (node->IsRecv()) receivers[KeyOf(*node)] = node;
      }
    }
    for (const auto& [node, graph] : graph_of) {
      if (!node->IsSend()) continue;
      const auto receiver = receivers.find(KeyOf(*node));
      if (receiver == receivers.end()) continue;
      receiver_of[node] = receiver->second;
      sender_of[receiver->second] = node;
    }
  }

  absl::flat_hash_map<const Node*, const Graph*> graph_of;
  absl::flat_hash_map<const Node*, const Node*> receiver_of;
  absl::flat_hash_map<const Node*, const Node*> sender_of;
};

// Names of the receivers in `graph` that get something made out of what `send`, a node of it, sends.
std::set<std::string> ReceiversBehind(const Union& all, const Graph* graph, const Node* send) {
  std::set<std::string> receivers;
  absl::flat_hash_set<const Node*> seen;
  std::vector<const Node*> open;
  const auto follow = [&](const Node* node) {
    const auto receiver = all.receiver_of.find(node);
    if (receiver == all.receiver_of.end()) return;
    if (all.graph_of.at(receiver->second) == graph) {
      receivers.insert(receiver->second->name());
    } else if (seen.insert(receiver->second).second) {
      open.push_back(receiver->second);
    }
  };
  follow(send);
  while (!open.empty()) {
    const Node* const node = open.back();
    open.pop_back();
    if (node->IsSend()) follow(node);
    for (const Edge* edge : node->out_edges()) {
      if (edge->dst()->IsOp() && seen.insert(edge->dst()).second) open.push_back(edge->dst());
    }
  }
  return receivers;
}

PartialTensorShape SentShape(const Node& send, const StaticShapes& shapes) {
  const Edge* edge = nullptr;
  if (!send.input_edge(0, &edge).ok()) return {};
  return shapes[edge->src()->id()][edge->src_output()];
}

// Shapes of all that is received on any device. A shape may take several hops, at most one per partition.
using Received = std::map<const Node*, PartialTensorShape>;
Received FindReceivedShapes(const Partitions& partitions, const Union& all) {
  Received received;
  for (size_t hop = 0; hop < partitions.size(); ++hop) {
    bool changed = false;
    for (const auto& [device, graph] : partitions) {
      ReceivedShapes seeds;
      for (const auto& [receiver, shape] : received) {
        if (all.graph_of.at(receiver) == graph) seeds[receiver->name()] = shape;
      }
      const StaticShapes shapes = InferStaticShapes(*graph, NodesInOrder(*graph), seeds);
      for (const Node* node : graph->op_nodes()) {
        const auto receiver = all.receiver_of.find(node);
        if (receiver == all.receiver_of.end()) continue;
        const PartialTensorShape shape = SentShape(*node, shapes);
        PartialTensorShape& known = received[receiver->second];
        changed |= !known.IsIdenticalTo(shape);
        known = shape;
      }
    }
    if (!changed) break;
  }
  return received;
}

}  // namespace

Surroundings SurroundingsOf(const Partitions& partitions, const std::string& device) {
  const Union all(partitions);
  Surroundings surroundings;
  if (all.receiver_of.empty()) return surroundings;
  const Graph* const graph = partitions.at(device);
  std::set<std::pair<std::string, std::string>> order;
  for (const auto& [send, receiver] : all.receiver_of) {
    if (all.graph_of.at(send) != graph) continue;
    for (const std::string& behind : ReceiversBehind(all, graph, send)) order.emplace(send->name(), behind);
  }
  surroundings.order.assign(order.begin(), order.end());
  for (const auto& [receiver, shape] : FindReceivedShapes(partitions, all)) {
    if (all.graph_of.at(receiver) == graph) surroundings.received[receiver->name()] = shape;
  }
  std::map<const Graph*, ControlFlow> control_flows;
  for (const auto& [receiver, send] : all.sender_of) {
    if (all.graph_of.at(receiver) != graph) continue;
    const Graph* const sender = all.graph_of.at(send);
    const auto found = control_flows.find(sender);
    const ControlFlow& control_flow = found != control_flows.end()
                                          ? found->second
                                          : control_flows.emplace(sender, AnalyzeControlFlow(*sender)).first->second;
    if (!control_flow.inside[send->id()]) continue;
    // A pair inside of a loop or conditional of this partition: its nodes are in no program anyway.
    if (sender == graph && control_flow.inside[receiver->id()]) continue;
    std::string& first = surroundings.may_get_nothing;
    if (first.empty() || receiver->name() < first) first = receiver->name();
  }
  return surroundings;
}

absl::Status VerifyUnion(const Partitions& partitions) {
  const Union all(partitions);
  absl::flat_hash_map<const Node*, int> waiting_for;
  std::vector<const Node*> ready;
  for (const auto& [node, graph] : all.graph_of) {
    int& count = waiting_for[node];
    for (const Edge* edge : node->in_edges()) {
      if (edge->src()->IsOp() && IsForwardEdge(*edge)) ++count;
    }
    if (all.sender_of.contains(node)) ++count;
  }
  // By node: what waits for it because of a loop.
  absl::flat_hash_map<const Node*, std::vector<const Node*>> behind_loop;
  for (const auto& [device, graph] : partitions) {
    for (const auto& [first, second] : LoopOrder(AnalyzeControlFlow(*graph).loops)) {
      behind_loop[first].push_back(second);
      ++waiting_for[second];
    }
  }
  for (const auto& [node, count] : waiting_for) {
    if (count == 0) ready.push_back(node);
  }
  size_t reached = 0;
  const auto let_go = [&](const Node* node) {
    if (--waiting_for[node] == 0) ready.push_back(node);
  };
  while (!ready.empty()) {
    const Node* const node = ready.back();
    ready.pop_back();
    ++reached;
    for (const Edge* edge : node->out_edges()) {
      if (edge->dst()->IsOp() && IsForwardEdge(*edge)) let_go(edge->dst());
    }
    if (const auto receiver = all.receiver_of.find(node); receiver != all.receiver_of.end()) let_go(receiver->second);
    if (const auto behind = behind_loop.find(node); behind != behind_loop.end()) {
      for (const Node* user : behind->second) let_go(user);
    }
  }
  if (reached == all.graph_of.size()) return absl::OkStatus();
  std::set<std::string> stuck;
  for (const auto& [node, count] : waiting_for) {
    if (count > 0) stuck.insert(node->name());
  }
  return absl::FailedPreconditionError(
      absl::StrCat("in this order the devices would wait for each other: node '", *stuck.begin(), "' would never run"));
}

}  // namespace str::graph
