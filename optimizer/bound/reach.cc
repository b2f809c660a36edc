#include "optimizer/bound/reach.h"

namespace str::optimizer {

Reach::Reach(const Graph& graph, const Costs& costs, const std::vector<NodeId>& order)
    : words_((order.size() + 63) / 64), rows_(order.size() * words_, 0) {
  const int positions = static_cast<int>(order.size());
  std::vector<int> position_of(graph.node_count(), kNone);
  for (int position = 0; position < positions; ++position) position_of[order[position]] = position;
  std::vector<std::vector<int>> next(positions);
  for (int position = 0; position < positions; ++position) {
    const auto depends_on = [&](NodeId node) {
      if (position_of[node] != kNone) next[position_of[node]].push_back(position);
    };
    for (const TensorId input : graph.inputs(order[position])) depends_on(graph.tensor(input).node);
    for (const NodeId control : graph.controls(order[position])) depends_on(control);
  }
  for (int position = positions - 1; position >= 0; --position) {
    uint64_t* const row = &rows_[position * words_];
    for (const int other : next[position]) {
      row[other / 64] |= uint64_t{1} << (other % 64);
      const uint64_t* const reached = &rows_[other * words_];
      for (size_t word = 0; word < words_; ++word) row[word] |= reached[word];
    }
  }
  seconds_up_to_.assign(positions, 0);
  seconds_from_.assign(positions, 0);
  for (int from = 0; from < positions; ++from) {
    const double seconds = costs.node_seconds[order[from]];
    seconds_up_to_[from] += seconds;
    seconds_from_[from] += seconds;
    for (int to = from + 1; to < positions; ++to) {
      if (!Reaches(from, to)) continue;
      seconds_up_to_[to] += seconds;
      seconds_from_[from] += costs.node_seconds[order[to]];
    }
  }
}

}  // namespace str::optimizer
