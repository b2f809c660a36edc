// What STR's published model (Zong et al., IPDPS 2022, TPDS 2023) adds to Checkmate's: columns by stage t and position
// i, P a copy of i to the host starts, Q a copy back starts. Its rows:
//   at most one copy out per value; copies back only after the copy out started, at least one and at most five per copy
//   out; a copy takes its direction for itself from start to finish; a value is held in the stage in which its copy out
//   finishes; a copy back takes up memory from its start, and its value is held from the stage after its finish.
// The published O(T^3) rows "no copy back before the copy out" are here one per copy back: Q[k,i] <= sum of P[t,i], t <
// k, which allows the same. Times are seconds throughout: the published code mixes units.
//
// The published row on what is held while it is copied out is about one start per finish only, so that a copy of what
// is not there can be started with another. STR's published solution for VGG16 does so for 4 of its 13 copies. kSound
// asks for the value from the start of every copy out to its finish.
#ifndef STR_STRATEGIES_STR_PAPER_SWAP_COLUMNS_H_
#define STR_STRATEGIES_STR_PAPER_SWAP_COLUMNS_H_

#include <utility>
#include <vector>

#include "optimizer/cost/costs.h"
#include "optimizer/graph/graph.h"
#include "optimizer/ilp/linear_model.h"
#include "strategies/staged/schedule.h"
#include "strategies/staged/staged_model.h"
#include "strategies/str_paper/swap_table.h"

namespace str::strategies {

struct SwapTables {
  SwapTable out;
  SwapTable in;
};

// What copying each tensor of a value takes, one after the other.
SwapTables MakeSwapTables(const optimizer::Graph& graph, const optimizer::Costs& costs, const StagedGraph& staged);

enum class SwapRows { kPublished, kSound };

class SwapColumns : public StagedExtras {
 public:
  // Both must outlive this. `may_swap` by position.
  SwapColumns(const StagedGraph* graph, const SwapTables* tables, std::vector<bool> may_swap, SwapRows rows);

  bool MayRestore(int position) const override { return may_swap_[position]; }
  void AddColumns(optimizer::LinearModel* model) override;
  std::vector<int> Restoring(int stage, int position) const override;
  std::vector<std::pair<int, int>> Arriving(int stage) const override;
  void AddRows(const StagedModel& staged, optimizer::LinearModel* model) const override;

  // 0 where no such copy can be.
  Term out(int stage, int position) const { return out_[Index(stage, position)]; }
  Term in(int stage, int position) const { return in_[Index(stage, position)]; }

 private:
  size_t Index(int stage, int position) const { return static_cast<size_t>(stage) * size_ + position; }
  void AddCopyRows(int position, optimizer::LinearModel* model) const;
  // What is copied out is held meanwhile.
  void AddSourceRows(int position, const StagedModel& staged, optimizer::LinearModel* model) const;
  // One direction is taken by one copy at a time.
  void AddLaneRows(const SwapTable& table, const std::vector<Term>& starts, optimizer::LinearModel* model) const;

  const StagedGraph& graph_;
  const SwapTables& tables_;
  const int size_;
  const std::vector<bool> may_swap_;
  const SwapRows rows_;
  std::vector<Term> out_, in_;
};

}  // namespace str::strategies

#endif  // STR_STRATEGIES_STR_PAPER_SWAP_COLUMNS_H_
