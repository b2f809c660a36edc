#include "tf_plugin/capture/execution_order.h"

#include <algorithm>
#include <map>
#include <queue>
#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/match.h"
#include "absl/strings/string_view.h"

namespace str::capture {
namespace {

absl::string_view NodeOf(absl::string_view tensor) { return tensor.substr(0, tensor.rfind(':')); }

bool IsReference(const config::Node& node, int output) {
  return output < node.output_size() && absl::EndsWith(node.output(output).dtype(), "_ref");
}

using Indices = absl::flat_hash_map<absl::string_view, int>;

// The node that made the reference which `node` takes as its first input; -1 if it takes none.
int ReferenceOf(const config::GraphFile& graph, const Indices& indices, int node) {
  int holder = -1;
  for (int at = node; graph.node(at).input_size() > 0;) {
    const int source = indices.at(NodeOf(graph.node(at).input(0)));
    if (!IsReference(graph.node(source), 0)) break;
    holder = at = source;
  }
  return holder;
}

void TieChangesOfReferences(const std::vector<int64_t>& positions, const Indices& indices, config::GraphFile& graph) {
  std::map<int, std::vector<int>> changes;
  for (int i = 0; i < graph.node_size(); ++i) {
    // Of nodes that were not seen, in loops for example, no order is known: a wrong one could contradict their edges.
    if (positions[i] < 0) continue;
    const int holder = ReferenceOf(graph, indices, i);
    if (holder >= 0) changes[holder].push_back(i);
  }
  for (auto& [holder, nodes] : changes) {
    std::sort(nodes.begin(), nodes.end(), [&](int a, int b) { return positions[a] < positions[b]; });
    for (size_t i = 1; i < nodes.size(); ++i) {
      graph.mutable_node(nodes[i])->add_control(graph.node(nodes[i - 1]).name());
    }
  }
}

}  // namespace

absl::Status ApplyExecutionOrder(std::vector<int64_t> positions, config::GraphFile& graph) {
  Indices indices;
  for (int i = 0; i < graph.node_size(); ++i) indices[graph.node(i).name()] = i;
  TieChangesOfReferences(positions, indices, graph);

  std::vector<int> waiting_for(graph.node_size(), 0);
  std::vector<std::vector<int>> users(graph.node_size());
  const auto add_edge = [&](absl::string_view source, int user) {
    users[indices.at(source)].push_back(user);
    ++waiting_for[user];
  };
  for (int i = 0; i < graph.node_size(); ++i) {
    for (const std::string& input : graph.node(i).input()) add_edge(NodeOf(input), i);
    for (const std::string& control : graph.node(i).control()) add_edge(control, i);
  }
  using Candidate = std::pair<int64_t, int>;  // position, node
  std::priority_queue<Candidate, std::vector<Candidate>, std::greater<Candidate>> ready;
  for (int i = 0; i < graph.node_size(); ++i) {
    if (waiting_for[i] == 0) ready.emplace(positions[i], i);
  }
  google::protobuf::RepeatedPtrField<config::Node> sorted;
  while (!ready.empty()) {
    const int node = ready.top().second;
    ready.pop();
    *sorted.Add() = graph.node(node);
    for (int user : users[node]) {
      if (--waiting_for[user] == 0) ready.emplace(positions[user], user);
    }
  }
  if (sorted.size() != graph.node_size()) {
    return absl::FailedPreconditionError("the order in which nodes ran contradicts their edges");
  }
  graph.mutable_node()->Swap(&sorted);
  return absl::OkStatus();
}

}  // namespace str::capture
