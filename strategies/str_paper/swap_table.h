// How long copies of values take, counted in stages as STR's model does: a copy that starts in a stage is hidden behind
// the first runs of that stage's node and the following ones, and is done in the stage by whose end they have taken as
// long as the copy. Recomputing hides nothing.
#ifndef STR_STRATEGIES_STR_PAPER_SWAP_TABLE_H_
#define STR_STRATEGIES_STR_PAPER_SWAP_TABLE_H_

#include <vector>

#include "strategies/staged/staged_graph.h"

namespace str::strategies {

class SwapTable {
 public:
  static constexpr int kNever = -1;

  // One direction: `copy_seconds` by position.
  SwapTable(const StagedGraph& graph, const std::vector<double>& copy_seconds);

  // The last stage of a copy that starts in `stage`; kNever if the step ends before it, or the value does not exist
  // before the stage.
  int Finish(int stage, int position) const { return finish_[Index(stage, position)]; }
  // The latest stage in which a copy starts that finishes in `stage`; kNever if there is none.
  int Start(int stage, int position) const { return start_[Index(stage, position)]; }

 private:
  size_t Index(int stage, int position) const { return static_cast<size_t>(stage) * size_ + position; }

  const int size_;
  std::vector<int> finish_, start_;
};

}  // namespace str::strategies

#endif  // STR_STRATEGIES_STR_PAPER_SWAP_TABLE_H_
