// The search for decisions that keep a budget at the least time.
#ifndef STR_STRATEGIES_STR_SEARCH_H_
#define STR_STRATEGIES_STR_SEARCH_H_

#include <cstdint>
#include <vector>

#include "strategies/planner.h"
#include "strategies/str/evaluation.h"
#include "strategies/str/lean_evaluator.h"
#include "strategies/str/lean_model.h"

namespace str::strategies {

class Search {
 public:
  // Both must outlive this.
  Search(const LeanModel* model, const Limit* limit, int64_t host_limit_bytes);

  LeanEvaluator& evaluator() { return evaluator_; }

  // Drops storages one by one, always the one that takes away most excess for its time, until the budget is kept.
  // False if nothing helps any more or the limit is reached.
  bool Reduce(int64_t budget_bytes, Means means, Decisions* decisions);

  // Within the budget, and within what the host has.
  bool Fits(const Evaluation& evaluation, int64_t budget_bytes) const;

  // Takes back what is no longer needed, the costliest first, and tries the other modes; the budget stays kept.
  void CleanUp(int64_t budget_bytes, Decisions* decisions);

  // Changes single modes around the peak as long as the tight program's peak becomes lower, whatever it costs. Of the
  // two ways to make something again, `rerun` is tried first.
  void Descend(Mode rerun, Decisions* decisions);

 private:
  struct Candidate {
    int32_t unit = 0;
    Mode mode = Mode::kKeep;
    double worth = 0;
  };

  bool Allows(int32_t unit, Mode mode) const { return problem_.Allows(problem_.units()[unit], mode); }
  bool HostFits(const Evaluation& evaluation) const;
  // The most promising changes by a quick estimate, with the stage profile of the last evaluation.
  void Nominate(int64_t budget_bytes, Means means, const Decisions& decisions, std::vector<Candidate>* candidates);
  double EstimateSwap(const LeanUnit& unit) const;
  double EstimateRerun(int32_t storage, int32_t stage, const Decisions& decisions, int* steps_left) const;
  bool IsThere(int32_t storage, int32_t stage, const Decisions& decisions, bool* fetched) const;
  // Cost of a decided unit, for deciding what to take back first.
  double Burden(int32_t unit, Mode mode) const;
  // One change, of one mode or many, that lowers the peak; false if none is found before the evaluator has done
  // `most_work`.
  bool LowerPeak(Mode rerun, int64_t most_work, Decisions* decisions);
  bool TryMode(int64_t budget_bytes, int32_t unit, Mode mode, Decisions* decisions, Evaluation* current);

  const LeanModel& model_;
  const Problem& problem_;
  const Limit& limit_;
  const int64_t host_limit_bytes_;
  LeanEvaluator evaluator_;
  // Per stage: seconds of computing before it.
  std::vector<double> stage_starts_;
  // The sizes of storages, and the one of each.
  std::vector<int64_t> sizes_;
  std::vector<int32_t> size_of_;
  // Scratch of Nominate: per size and stage, the excess over time that a storage of that size takes away if it is not
  // there before that stage; empty: not needed yet.
  std::vector<std::vector<double>> relief_before_;
};

}  // namespace str::strategies

#endif  // STR_STRATEGIES_STR_SEARCH_H_
