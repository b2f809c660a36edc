// What a staged model decides, as 0/1 matrices by stage and position, and what follows from it.
#ifndef STR_STRATEGIES_STAGED_SCHEDULE_H_
#define STR_STRATEGIES_STAGED_SCHEDULE_H_

#include <cstdint>
#include <vector>

#include "optimizer/graph/graph.h"
#include "optimizer/simulator/program.h"
#include "strategies/staged/staged_graph.h"

namespace str::strategies {

// Square, by stage and position.
class StageMatrix {
 public:
  StageMatrix() = default;
  explicit StageMatrix(int size) : size_(size), values_(static_cast<size_t>(size) * size, 0) {}

  int size() const { return size_; }
  bool operator()(int stage, int position) const { return values_[static_cast<size_t>(stage) * size_ + position] != 0; }
  void Set(int stage, int position, bool value) { values_[static_cast<size_t>(stage) * size_ + position] = value; }

 private:
  int size_ = 0;
  std::vector<int8_t> values_;
};

struct Schedule {
  // Computed in the stage; the diagonal is the first runs.
  StageMatrix computed;
  // In memory when the stage starts.
  StageMatrix held;
};

// The least that has to be computed so that `held` is held and every input is there: what is held and was not before
// is computed in the stage before, and within a stage whatever a computed node takes and nobody holds. `restored`, if
// not null, says what comes back by itself by the end of a stage.
StageMatrix LeastComputed(const StagedGraph& graph, const StageMatrix& held, const StageMatrix* restored = nullptr);

// What a schedule needs and costs by the rules of Checkmate's own evaluator: a second yardstick, to compare with its
// authors' figures. The judge (optimizer/simulator/judge.h) decides on plans.
//
// At the start of a stage, whatever is neither kept beyond it nor used in it is freed; computing allocates, unless the
// value is there; after every node, computed or not, it and its inputs are freed if they are not kept or used later.
struct CheckmateFigures {
  double seconds = 0;
  // Of values alone.
  int64_t peak_bytes = 0;
};
CheckmateFigures EvaluateAsCheckmate(const StagedGraph& graph, const Schedule& schedule);

// The steps of one node: its first run, or all of it that may run again.
void AddSteps(const optimizer::Graph& graph, const StagedNode& node, bool first, optimizer::Program* program);

// The same program without reruns and copies to the device that nobody takes.
optimizer::Program WithoutUntaken(const optimizer::Graph& graph, const optimizer::Program& program);

// The steps of a schedule, without reruns that nobody takes.
optimizer::Program ProgramOf(const optimizer::Graph& graph, const StagedGraph& staged, const StageMatrix& computed);

}  // namespace str::strategies

#endif  // STR_STRATEGIES_STAGED_SCHEDULE_H_
