// What decisions amount to under a budget, in microseconds. The same rules as Decoder, Composer and the judge, on the
// lean model's arrays.
//
// Only what is dropped costs time: gaps in which a storage is kept, and stages that find all their inputs, are not
// looked at. Three passes. Restore: gap by gap in the order in which they end, what must be fetched or made again for
// the stage at the end. Profile: bytes per stage with copies waited for at once. Copies: when each copy starts and ends
// if memory up to the budget is used to hide them.
//
// Reused from decision to decision; after the first few no memory is allocated. Not thread-safe.
#ifndef STR_STRATEGIES_STR_LEAN_EVALUATOR_H_
#define STR_STRATEGIES_STR_LEAN_EVALUATOR_H_

#include <cstdint>
#include <vector>

#include "strategies/str/evaluation.h"
#include "strategies/str/lean_model.h"

namespace str::strategies {

class LeanEvaluator {
 public:
  // `model` must outlive this. Host bytes are counted only if asked for.
  LeanEvaluator(const LeanModel* model, bool count_host_bytes);

  // Memory only. `tight_peak_bytes`, `excess` and `most_excess_bytes` are set, and `seconds` without waiting for
  // copies.
  Evaluation EvaluateMemory(const Decisions& decisions, int64_t budget_bytes);
  // Completes what EvaluateMemory began for the same decisions and budget.
  void EvaluateTime(int64_t budget_bytes, Evaluation* evaluation);
  Evaluation Evaluate(const Decisions& decisions, int64_t budget_bytes);

  // Of the last call, per stage of the model: the most bytes in it with its reruns, and for how long.
  void StageProfile(std::vector<int64_t>* bytes, std::vector<double>* seconds) const;
  // How many computes have been evaluated so far: a measure of time that is the same on every machine.
  int64_t work() const { return work_; }

 private:
  static constexpr int32_t kNever = -1;

  // Of a storage. A slot is what is done just before one stage; slots are counted from 1 over all evaluations.
  struct State {
    // The last slot in which it was restored, and whether only for that slot and its stage.
    int64_t slot = 0;
    bool transient = false;
    // The last item that takes it, and the last stage whose slot does.
    int32_t last_item = kNever;
    int32_t last_stage = kNever;
    // The last slot whose stage takes it.
    int64_t needed_slot = 0;
  };
  // Done in a slot: a rerun of stage `rerun`, or a fetch of `storage` at the end of `unit`.
  struct Item {
    int32_t stage = 0;
    int32_t rerun = kNever;
    int32_t storage = kNever;
    int32_t unit = kNever;
    // At most during it, above what was there when the slot began; after Profile all of it.
    int64_t bytes = 0;
  };
  struct Fetch {
    int32_t storage = 0;
    // Computes: which one needs it, before which it may start at the earliest, and before which it does start.
    int32_t deadline = 0;
    int32_t earliest = 0;
    int32_t before = 0;
  };
  struct CopyOut {
    int32_t storage = 0;
    int32_t produced = 0;
    int32_t release = 0;
    double done = 0;
    bool open = true;
  };

  bool RestoreAll();
  void FillSlot(int32_t stage);
  void Provide(int32_t stage);
  void Restore(int32_t storage, int32_t unit);
  void Rerun(int32_t stage);
  void SizeSlot(size_t first_item);
  // The unit in whose gap the storage is absent now, or kNever if it is there.
  int32_t AbsentIn(int32_t storage) const;
  // Whether it is gone before the slot's stage runs.
  bool EndsInSlot(const State& state) const {
    return state.slot == slot_ && state.transient && state.needed_slot != slot_;
  }
  void Profile(int64_t budget_bytes, Evaluation* evaluation);
  // Whether the node after which the storage is dropped takes over its buffer.
  bool HandsOver(const LeanUnit& unit) const;

  void FindComputes();
  void FindCopiesOut();
  void PlaceFetches(int64_t budget_bytes);
  double SimulateCopies(int64_t budget_bytes);
  int64_t HostPeak() const;

  const LeanModel& model_;
  const bool count_host_bytes_;
  const size_t most_items_;
  // Per stage, how much its memory above the budget counts: its seconds, but not less than a share of the average.
  std::vector<double> weight_;

  const Decisions* decisions_ = nullptr;
  int32_t stage_ = 0;
  int64_t slot_ = 0;
  std::vector<State> states_;
  std::vector<Item> items_;
  bool any_fetch_ = false;
  // Per unit that is not kept: the slot's stage from which on the storage is there again, valid in evaluation_.
  struct Return {
    int64_t evaluation = 0;
    int32_t stage = 0;
  };
  std::vector<Return> returns_;
  int64_t evaluation_ = 0;
  // Storages that reruns take after their last use.
  std::vector<int32_t> prolonged_;
  // Changes of bytes against everything kept: during a stage, and just before it.
  std::vector<int64_t> live_, before_;
  // During the stage itself, without its slot.
  std::vector<int64_t> stage_bytes_;

  std::vector<Fetch> fetches_;
  std::vector<CopyOut> copies_;
  std::vector<int32_t> by_release_;
  // By storage; kNever between evaluations.
  std::vector<int32_t> copy_of_;
  // By compute, and which compute a stage is.
  std::vector<double> compute_seconds_, starts_, arrivals_;
  std::vector<int64_t> compute_bytes_, busy_bytes_;
  std::vector<int32_t> compute_of_;
  int64_t work_ = 0;
};

}  // namespace str::strategies

#endif  // STR_STRATEGIES_STR_LEAN_EVALUATOR_H_
