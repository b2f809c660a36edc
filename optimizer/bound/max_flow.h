// Maximum flow in a network of integer capacities, by shortest augmenting paths in levels (Dinic).
#ifndef STR_OPTIMIZER_BOUND_MAX_FLOW_H_
#define STR_OPTIMIZER_BOUND_MAX_FLOW_H_

#include <cstdint>
#include <vector>

namespace str::optimizer {

class MaxFlow {
 public:
  // More than any flow.
  static constexpr int64_t kUnlimited = int64_t{1} << 61;

  explicit MaxFlow(int nodes) : first_(nodes, -1), level_(nodes), next_(nodes) {}

  void AddArc(int from, int to, int64_t capacity);
  int64_t Solve(int source, int sink);
  // After Solve: whether the node is on the source's side of the smallest minimum cut.
  bool OnSourceSide(int node) const { return level_[node] >= 0; }

 private:
  struct Arc {
    int to = 0;
    // Of the same node; -1: none.
    int next = -1;
    int64_t left = 0;
  };

  bool FindLevels(int source, int sink);
  int64_t Push(int node, int sink, int64_t most);

  // An arc and its reverse follow each other.
  std::vector<Arc> arcs_;
  std::vector<int> first_, level_, next_;
};

}  // namespace str::optimizer

#endif  // STR_OPTIMIZER_BOUND_MAX_FLOW_H_
