#include "config/graph_order.h"

#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"

namespace str::config {
namespace {

constexpr int kMaxNamedNodes = 8;

// For each node whether it is on a cycle or behind one: what is left when nodes without open needs are taken away.
std::vector<bool> NodesThatCannotRun(const std::vector<std::vector<int>>& predecessors) {
  const int count = predecessors.size();
  std::vector<std::vector<int>> successors(count);
  std::vector<int> open_needs(count);
  std::vector<int> ready;
  for (int node = 0; node < count; ++node) {
    open_needs[node] = predecessors[node].size();
    for (int predecessor : predecessors[node]) successors[predecessor].push_back(node);
    if (open_needs[node] == 0) ready.push_back(node);
  }
  std::vector<bool> stuck(count, true);
  while (!ready.empty()) {
    const int node = ready.back();
    ready.pop_back();
    stuck[node] = false;
    for (int successor : successors[node]) {
      if (--open_needs[successor] == 0) ready.push_back(successor);
    }
  }
  return stuck;
}

// Every stuck node needs a stuck node, so that walking back from one must come round.
std::vector<int> CycleBehind(int start, const std::vector<std::vector<int>>& predecessors,
                             const std::vector<bool>& stuck) {
  std::vector<int> path;
  std::vector<bool> seen(predecessors.size(), false);
  int node = start;
  while (!seen[node]) {
    seen[node] = true;
    path.push_back(node);
    node = *std::find_if(predecessors[node].begin(), predecessors[node].end(), [&](int p) { return stuck[p]; });
  }
  path.erase(path.begin(), std::find(path.begin(), path.end(), node));
  // Found against the edges; told along them.
  std::reverse(path.begin(), path.end());
  return path;
}

absl::Status CycleError(const GraphFile& graph, const std::vector<int>& cycle) {
  std::string text;
  for (int i = 0; i < static_cast<int>(cycle.size()) && i < kMaxNamedNodes; ++i) {
    absl::StrAppend(&text, "\"", graph.node(cycle[i]).name(), "\" -> ");
  }
  if (cycle.size() > kMaxNamedNodes) absl::StrAppend(&text, "(", cycle.size() - kMaxNamedNodes, " more) -> ");
  return absl::InvalidArgumentError(absl::StrCat("node \"", graph.node(cycle[0]).name(), "\" is on a cycle: ", text,
                                                 "\"", graph.node(cycle[0]).name(), "\""));
}

}  // namespace

absl::Status CheckTopologicalOrder(const GraphFile& graph, const std::vector<std::vector<int>>& predecessors) {
  for (int node = 0; node < static_cast<int>(predecessors.size()); ++node) {
    for (int predecessor : predecessors[node]) {
      if (predecessor < node) continue;
      const std::vector<bool> stuck = NodesThatCannotRun(predecessors);
      const auto first_stuck = std::find(stuck.begin(), stuck.end(), true);
      if (first_stuck != stuck.end()) {
        return CycleError(graph, CycleBehind(first_stuck - stuck.begin(), predecessors, stuck));
      }
      return absl::InvalidArgumentError(
          absl::StrCat("node \"", graph.node(node).name(), "\" stands before \"", graph.node(predecessor).name(),
                       "\", which it needs; write the nodes in the order in which they run"));
    }
  }
  return absl::OkStatus();
}

}  // namespace str::config
