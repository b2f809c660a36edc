#include "optimizer/bound/max_flow.h"

#include <algorithm>

namespace str::optimizer {

void MaxFlow::AddArc(int from, int to, int64_t capacity) {
  arcs_.push_back({to, first_[from], capacity});
  first_[from] = static_cast<int>(arcs_.size()) - 1;
  arcs_.push_back({from, first_[to], 0});
  first_[to] = static_cast<int>(arcs_.size()) - 1;
}

bool MaxFlow::FindLevels(int source, int sink) {
  std::fill(level_.begin(), level_.end(), -1);
  std::vector<int> queue = {source};
  level_[source] = 0;
  for (size_t i = 0; i < queue.size(); ++i) {
    for (int arc = first_[queue[i]]; arc != -1; arc = arcs_[arc].next) {
      if (arcs_[arc].left <= 0 || level_[arcs_[arc].to] >= 0) continue;
      level_[arcs_[arc].to] = level_[queue[i]] + 1;
      queue.push_back(arcs_[arc].to);
    }
  }
  return level_[sink] >= 0;
}

int64_t MaxFlow::Push(int node, int sink, int64_t most) {
  if (node == sink) return most;
  int64_t pushed = 0;
  for (int& arc = next_[node]; arc != -1; arc = arcs_[arc].next) {
    if (arcs_[arc].left <= 0 || level_[arcs_[arc].to] != level_[node] + 1) continue;
    const int64_t flow = Push(arcs_[arc].to, sink, std::min(most - pushed, arcs_[arc].left));
    arcs_[arc].left -= flow;
    arcs_[arc ^ 1].left += flow;
    pushed += flow;
    if (pushed == most) return pushed;
  }
  return pushed;
}

int64_t MaxFlow::Solve(int source, int sink) {
  int64_t flow = 0;
  while (FindLevels(source, sink)) {
    next_ = first_;
    flow += Push(source, sink, kUnlimited);
  }
  return flow;
}

}  // namespace str::optimizer
