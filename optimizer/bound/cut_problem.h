// What the lower bound looks at: the large buffers of a graph in one fixed order of first runs. docs/certificate.md has
// the argument; here everything in doubt counts less memory and less time than it may really need.
//
// Glossary.
//   position  a place in the order of the program's nodes.
//   storage   a tensor that owns a buffer with all views of it. Only those are here that are large, made in the program
//             and neither variables nor external; all others count as always there, in no memory.
#ifndef STR_OPTIMIZER_BOUND_CUT_PROBLEM_H_
#define STR_OPTIMIZER_BOUND_CUT_PROBLEM_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "optimizer/cost/costs.h"
#include "optimizer/graph/graph.h"

namespace str::optimizer {

struct CutStorage {
  TensorId root = kNone;
  // Of the node that makes it.
  int producer = 0;
  // The smallest of the tensors that share the buffer: one of them may be copied alone.
  int64_t rounded_bytes = 0;
  // 0 if copies have no rate.
  double copy_out_seconds = 0;
  double copy_in_seconds = 0;
  // From after this position to the end somebody outside the program holds it; the number of positions: nobody does.
  int held_after = 0;
  // Positions of the nodes after each of which somebody outside does.
  std::vector<int> holders;
  // Positions that take it, increasing.
  std::vector<int> uses;
};

struct CutNode {
  double seconds = 0;
  bool may_rerun = false;
  // Storages that it takes, each once.
  std::vector<int> inputs;
  // Buffers that it certainly allocates itself, with its temporaries.
  int64_t own_bytes = 0;
  // Bytes that are certainly there whatever is planned.
  int64_t constant_bytes = 0;
};

class CutProblem {
 public:
  // `order` holds each node of the program once. Storages below `least_bytes` are left out.
  CutProblem(const Graph& graph, const Costs& costs, const std::vector<NodeId>& order, int64_t least_bytes);

  int positions() const { return static_cast<int>(nodes_.size()); }
  const CutNode& node(int position) const { return nodes_[position]; }
  const std::vector<CutStorage>& storages() const { return storages_; }
  // Time of the nodes at positions [from, to).
  double Seconds(int from, int to) const { return seconds_before_[to] - seconds_before_[from]; }
  double total_seconds() const { return seconds_before_.back(); }
  // Before the program begins.
  int64_t external_bytes() const { return external_bytes_; }
  // Of the old buffer of each variable, and who replaces it: position and variable.
  const std::vector<int64_t>& variable_bytes() const { return variable_bytes_; }
  const std::vector<std::pair<int, int>>& replacements() const { return replacements_; }
  // What must be on the device while the node runs for the first time.
  int64_t WorkingSet(int position) const;

 private:
  std::vector<CutNode> nodes_;
  std::vector<CutStorage> storages_;
  std::vector<double> seconds_before_;
  int64_t external_bytes_ = 0;
  std::vector<int64_t> variable_bytes_;
  std::vector<std::pair<int, int>> replacements_;
};

}  // namespace str::optimizer

#endif  // STR_OPTIMIZER_BOUND_CUT_PROBLEM_H_
