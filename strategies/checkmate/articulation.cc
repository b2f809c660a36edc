#include "strategies/checkmate/articulation.h"

#include <algorithm>

namespace str::strategies {
namespace {

// The graph among chosen positions, by index into them, ascending; edges lead from lower to higher.
struct Subgraph {
  std::vector<std::vector<int>> inputs, consumers;
};

Subgraph Restrict(const StagedGraph& staged, const std::vector<int>& positions) {
  std::vector<int> index_of(staged.size(), -1);
  for (size_t i = 0; i < positions.size(); ++i) index_of[positions[i]] = static_cast<int>(i);
  Subgraph graph;
  graph.inputs.resize(positions.size());
  graph.consumers.resize(positions.size());
  for (size_t i = 0; i < positions.size(); ++i) {
    for (const int input : staged.node(positions[i]).inputs) {
      if (index_of[input] < 0) continue;
      graph.inputs[i].push_back(index_of[input]);
      graph.consumers[index_of[input]].push_back(static_cast<int>(i));
    }
  }
  return graph;
}

// Marks what is reached from `start` along `edges` (one or two directions), `start` included, without `removed`.
std::vector<bool> Reached(const std::vector<const std::vector<std::vector<int>>*>& edges, int start, int removed) {
  std::vector<bool> reached((*edges[0]).size(), false);
  std::vector<int> open = {start};
  reached[start] = true;
  while (!open.empty()) {
    const int node = open.back();
    open.pop_back();
    for (const auto* direction : edges) {
      for (const int next : (*direction)[node]) {
        if (next == removed || reached[next]) continue;
        reached[next] = true;
        open.push_back(next);
      }
    }
  }
  return reached;
}

int64_t Count(const std::vector<bool>& marks) { return std::count(marks.begin(), marks.end(), true); }

}  // namespace

std::vector<int> ArticulationPoints(const StagedGraph& staged, const std::vector<int>& positions) {
  const Subgraph graph = Restrict(staged, positions);
  const int size = static_cast<int>(positions.size());
  std::vector<int> points;
  if (size == 0) return points;
  const std::vector<bool> connected = Reached({&graph.inputs, &graph.consumers}, 0, -1);
  const int64_t others = Count(connected) - 1;
  for (int i = 0; i < size; ++i) {
    // Without the first or the last node the source or the sink is on its own.
    const bool end = i == 0 || i == size - 1;
    const auto remaining = [&] { return Count(Reached({&graph.inputs, &graph.consumers}, 0, i)); };
    if (end || (connected[i] && remaining() < others)) points.push_back(positions[i]);
  }
  return points;
}

std::vector<int> Backbone(const StagedGraph& staged, const std::vector<int>& positions) {
  const Subgraph graph = Restrict(staged, positions);
  const int size = static_cast<int>(positions.size());
  int entry = -1, exit = -1;
  int64_t most = 0;
  for (int i = 0; i < size; ++i) {
    if (staged.node(positions[i]).bytes == 0) continue;
    const int64_t follow = Count(Reached({&graph.consumers}, i, -1));
    if (follow <= most) continue;
    most = follow;
    entry = i;
  }
  if (entry < 0) return {};
  const std::vector<bool> after = Reached({&graph.consumers}, entry, -1);
  most = 0;
  for (int i = 0; i < size; ++i) {
    if (!after[i] || !graph.consumers[i].empty()) continue;
    const int64_t lead = Count(Reached({&graph.inputs}, i, -1));
    if (lead < most) continue;
    most = lead;
    exit = i;
  }
  const std::vector<bool> before = Reached({&graph.inputs}, exit, -1);
  std::vector<int> backbone;
  for (int i = 0; i < size; ++i) {
    if (after[i] && before[i]) backbone.push_back(positions[i]);
  }
  return backbone;
}

}  // namespace str::strategies
