// Checkmate's integer model of a staged graph (Jain et al., MLSys 2020): what is computed and held in each stage so
// that memory never exceeds a budget and computing takes least.
//
// Columns, by stage t and position i <= t: R computed (the diagonal is 1), S held at the start, U bytes in use after i
// was reached; and by edge (i, k) F: i is freed after k. The rows are the published ones:
//   R[t,k] <= R[t,i] + S[t,i]                   for every edge (i, k)
//   S[t+1,i] <= S[t,i] + R[t,i]
//   F = 1 if and only if k is computed, i is not held beyond the stage and no later consumer is computed in it
//   U[t,0] = R[t,0] m_0 + sum S[t,i] m_i;  U[t,k+1] = U[t,k] + R[t,k+1] m_(k+1) - sum over inputs i of k of F m_i
// What cannot be otherwise is no column: nodes that may not run again, their values until their last use, positions
// beyond the stage. Besides: temporaries of running nodes, values held to the end, views that need their buffer, and
// buffers that a node takes over: they count as freed while it runs.
#ifndef STR_STRATEGIES_STAGED_STAGED_MODEL_H_
#define STR_STRATEGIES_STAGED_STAGED_MODEL_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "optimizer/ilp/linear_model.h"
#include "strategies/staged/schedule.h"
#include "strategies/staged/staged_graph.h"

namespace str::strategies {

// A column, or a constant where there is nothing to decide.
struct Term {
  int column = -1;
  double constant = 0;

  bool Is(double value) const { return column < 0 && constant == value; }
  double Value(const std::vector<double>& values) const { return column < 0 ? constant : values[column]; }
};

// A row in the making; constants end up on its other side.
class RowBuilder {
 public:
  RowBuilder& Add(double coefficient, Term term);
  // lower <= sum <= upper. Rows without columns are left out.
  void AddTo(optimizer::LinearModel* model, double lower, double upper) const;

 private:
  std::vector<optimizer::LinearTerm> terms_;
  double constant_ = 0;
};

class StagedModel;

// What another model adds to this one: ways other than computing to bring a value back.
class StagedExtras {
 public:
  virtual ~StagedExtras() = default;
  // Whether the value can be brought back after it was dropped.
  virtual bool MayRestore(int position) const = 0;
  virtual void AddColumns(optimizer::LinearModel* model) = 0;
  // Columns of which one being 1 brings the value back by the end of the stage.
  virtual std::vector<int> Restoring(int stage, int position) const = 0;
  // Columns that take up memory of a value during the stage before it counts as held, with its position.
  virtual std::vector<std::pair<int, int>> Arriving(int stage) const = 0;
  virtual void AddRows(const StagedModel& staged, optimizer::LinearModel* model) const = 0;
};

class StagedModel {
 public:
  // All must outlive this; `extras` may be null. `budget_bytes` is for the values alone; at least 1.
  // With `node_budget_bytes` nodes by themselves need only fit that, not the budget: for relaxations, which may have
  // solutions below what whole schedules need.
  StagedModel(const StagedGraph* graph, int64_t budget_bytes, StagedExtras* extras, int64_t node_budget_bytes = 0);

  // About how many columns such a model has.
  static int64_t Columns(const StagedGraph& graph);

  // False if some node does not fit by itself: no schedule does, and the model is empty.
  bool possible() const { return possible_; }
  const optimizer::LinearModel& model() const { return model_; }
  // The objective in seconds.
  double Seconds(double objective) const;

  Term computed(int stage, int position) const { return computed_[Index(stage, position)]; }
  Term held(int stage, int position) const { return held_[Index(stage, position)]; }
  // What a solution holds, and the least that must be computed for it.
  Schedule Read(const std::vector<double>& values) const;

 private:
  size_t Index(int stage, int position) const { return static_cast<size_t>(stage) * graph_.size() + position; }
  bool EveryNodeFits(int64_t budget_bytes) const;
  void AddColumns();
  Term HeldTerm(int stage, int position);
  void AddPresence(int stage);
  void AddMemory(int stage);
  // What is freed of the value after a node.
  void AddFreed(int stage, int value, int after, RowBuilder* row);
  // F[t,(i,k)], with its rows.
  Term AddFree(int stage, int value, int after);

  const StagedGraph& graph_;
  StagedExtras* const extras_;
  const double bytes_unit_;
  double seconds_unit_ = 1;
  bool possible_ = true;
  optimizer::LinearModel model_;
  std::vector<Term> computed_, held_;
};

}  // namespace str::strategies

#endif  // STR_STRATEGIES_STAGED_STAGED_MODEL_H_
