#include "strategies/str_paper/source_tracing.h"

#include <algorithm>

namespace str::strategies {
namespace {

// Relaxed values are whole only up to the solver's tolerance.
constexpr double kTolerance = 1e-6;

class Tracer {
 public:
  Tracer(const StagedGraph& graph, const SwapTables& tables, const StagedModel& model, const SwapColumns& columns,
         const std::vector<double>& values, int64_t budget_bytes)
      : graph_(graph),
        tables_(tables),
        model_(model),
        columns_(columns),
        values_(values),
        budget_bytes_(budget_bytes),
        size_(graph.size()),
        lane_taken_(size_, false),
        bytes_(size_, 0) {
    schedule_.held = schedule_.out = schedule_.in = StageMatrix(size_);
  }

  SwapSchedule Trace() {
    for (int stage = 0; stage < size_; ++stage) {
      for (int i = 0; i < stage; ++i) {
        if (model_.held(stage, i).Value(values_) > 1 - kTolerance) Hold(stage, i);
      }
      // What the stage's own node needs besides.
      bytes_[stage] += graph_.node(stage).bytes + graph_.node(stage).temporary_bytes;
    }
    for (int stage = 1; stage < size_; ++stage) {
      for (int i = 0; i < stage; ++i) {
        if (schedule_.held(stage, i) && !HasSource(stage, i)) TraceBack(stage, i);
      }
    }
    HoldWhatRunsOnce();
    FillCopiesOut();
    return schedule_;
  }

 private:
  void Hold(int stage, int position) {
    schedule_.held.Set(stage, position, true);
    bytes_[stage] += graph_.node(position).bytes;
  }

  // Whether the value is there at the end of the stage before.
  bool HasSource(int stage, int position) const {
    if (position == stage - 1 || schedule_.held(stage - 1, position)) return true;
    if (model_.computed(stage - 1, position).Value(values_) > 1 - kTolerance) return true;
    const int start = tables_.in.Start(stage - 1, position);
    return start != SwapTable::kNever && schedule_.in(start, position);
  }

  // Finds a source for what is held from `stage` on. What may be computed again is let go if there is none.
  void TraceBack(int stage, int position) {
    std::vector<int> filled = {stage};
    for (int at = stage; !HasSource(at, position); --at) {
      if (TakeCopyBack(at - 1, position)) return;
      const bool room = bytes_[at - 1] + graph_.node(position).bytes <= budget_bytes_;
      if (!room && graph_.node(position).may_rerun) {
        for (const int fill : filled) Release(fill, position);
        return;
      }
      Hold(at - 1, position);
      filled.push_back(at - 1);
    }
  }

  // Holds what would otherwise have to be computed again and must not be. Such a value may in turn be needed earlier.
  void HoldWhatRunsOnce() {
    for (bool changed = true; changed;) {
      changed = false;
      StageMatrix restored(size_);
      for (int stage = 0; stage < size_; ++stage) {
        for (int i = 0; i < stage; ++i) {
          if (schedule_.in(stage, i)) restored.Set(tables_.in.Finish(stage, i), i, true);
        }
      }
      const StageMatrix computed = LeastComputed(graph_, schedule_.held, &restored);
      for (int stage = 1; stage < size_; ++stage) {
        for (int i = 0; i < stage; ++i) {
          if (!computed(stage, i) || graph_.node(i).may_rerun || schedule_.held(stage, i)) continue;
          Hold(stage, i);
          TraceBack(stage, i);
          changed = true;
        }
      }
    }
  }

  void Release(int stage, int position) {
    schedule_.held.Set(stage, position, false);
    bytes_[stage] -= graph_.node(position).bytes;
  }

  // A copy back that finishes in `stage`, if the relaxed solution has some of it and its lane is free.
  bool TakeCopyBack(int stage, int position) {
    const int start = tables_.in.Start(stage, position);
    // The copy out takes the stage after the value was made, at least.
    if (start == SwapTable::kNever || start <= position + 1) return false;
    if (columns_.in(start, position).Value(values_) <= kTolerance) return false;
    for (int at = start; at <= stage; ++at) {
      if (lane_taken_[at]) return false;
    }
    for (int at = start; at <= stage; ++at) lane_taken_[at] = true;
    schedule_.in.Set(start, position, true);
    return true;
  }

  // Right after it was made, as STR does.
  void FillCopiesOut() {
    for (int i = 0; i < size_; ++i) {
      bool comes_back = false;
      for (int stage = i + 1; stage < size_; ++stage) comes_back = comes_back || schedule_.in(stage, i);
      if (comes_back) schedule_.out.Set(i + 1, i, true);
    }
  }

  const StagedGraph& graph_;
  const SwapTables& tables_;
  const StagedModel& model_;
  const SwapColumns& columns_;
  const std::vector<double>& values_;
  const int64_t budget_bytes_;
  const int size_;
  SwapSchedule schedule_;
  // By stage: a copy back is under way.
  std::vector<bool> lane_taken_;
  // By stage: what is held at its start, and its own node.
  std::vector<int64_t> bytes_;
};

}  // namespace

SwapSchedule TraceSources(const StagedGraph& graph, const SwapTables& tables, const StagedModel& model,
                          const SwapColumns& columns, const std::vector<double>& values, int64_t budget_bytes) {
  return Tracer(graph, tables, model, columns, values, budget_bytes).Trace();
}

}  // namespace str::strategies
