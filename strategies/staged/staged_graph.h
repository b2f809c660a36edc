// A training step as staged models see it (Checkmate's, and STR's published one): nodes in one fixed order, each making
// one value that is in memory as a whole or not at all.
//
// Glossary.
//   position  of a node in the order; stage t is what happens up to and including the first run of the node at t.
//   value     all outputs of a node that own a buffer; views own none, and who takes a view takes its buffer's value
//   too.
// What staged models know nothing of, such as copies of variables that are updated, is left to the judge.
#ifndef STR_STRATEGIES_STAGED_STAGED_GRAPH_H_
#define STR_STRATEGIES_STAGED_STAGED_GRAPH_H_

#include <cstdint>
#include <vector>

#include "optimizer/cost/costs.h"
#include "optimizer/graph/graph.h"
#include "strategies/planner.h"

namespace str::strategies {

struct StagedNode {
  // One, or several that were fused: they run one after the other.
  std::vector<optimizer::NodeId> nodes;
  // What its value consists of.
  std::vector<optimizer::TensorId> tensors;
  double seconds = 0;
  int64_t bytes = 0;
  // Besides, while it runs.
  int64_t temporary_bytes = 0;
  // Positions, ascending, each once.
  std::vector<int> inputs;
  std::vector<int> consumers;
  // Those of the inputs whose buffers its value shares.
  std::vector<int> viewed;
  // The input whose buffer it takes over if nobody else needs it any more, or -1.
  int takes_over = -1;
  bool may_rerun = false;
  bool may_swap = false;
  // Taken from outside the program: stays to the end.
  bool held = false;
};

class StagedGraph {
 public:
  // Without nodes yet.
  explicit StagedGraph(int64_t fixed_bytes = 0) : fixed_bytes_(fixed_bytes) {}
  // All nodes of the program in this order. `pins` by tensor id, empty: all free.
  StagedGraph(const optimizer::Graph& graph, const optimizer::Costs& costs, const std::vector<optimizer::NodeId>& order,
              const std::vector<Pin>& pins);

  int size() const { return static_cast<int>(nodes_.size()); }
  const StagedNode& node(int position) const { return nodes_[position]; }
  // Behind the others. Its inputs are set; who consumes it is found.
  void Add(StagedNode node);

  double total_seconds() const { return total_seconds_; }
  // What is in memory from start to end besides the values.
  int64_t fixed_bytes() const { return fixed_bytes_; }

 private:
  int FindTakenOver(const optimizer::Graph& graph, optimizer::NodeId id, const std::vector<int>& position_of) const;

  std::vector<StagedNode> nodes_;
  double total_seconds_ = 0;
  int64_t fixed_bytes_ = 0;
};

}  // namespace str::strategies

#endif  // STR_STRATEGIES_STAGED_STAGED_GRAPH_H_
