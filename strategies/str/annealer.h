// Simulated annealing over decisions: random changes, worse ones accepted the more rarely the colder it is.
//
// Cooled by moves, not by the clock: the same start and seed give the same result on every machine.
#ifndef STR_STRATEGIES_STR_ANNEALER_H_
#define STR_STRATEGIES_STR_ANNEALER_H_

#include <cstdint>
#include <random>
#include <vector>

#include "strategies/planner.h"
#include "strategies/str/evaluation.h"
#include "strategies/str/lean_evaluator.h"
#include "strategies/str/lean_model.h"

namespace str::strategies {

struct AnnealOptions {
  int64_t budget_bytes = 0;
  int64_t moves = 0;
  // As shares of the step's own computing time.
  double hottest = 1e-4;
  double coldest = 1e-6;
  // How bad memory above the budget is, against time.
  double penalty = 2;
  // Until a plan fits, time hardly counts: for budgets close to the least.
  bool memory_first = false;
  uint64_t seed = 0;
  // Ends early at a plan of at most this many seconds.
  double good_enough_seconds = 0;
};

struct AnnealResult {
  // Whether anything kept the budget; if not, the rest is the start.
  bool fits = false;
  Decisions decisions;
  Evaluation evaluation;
  // Of a portfolio: what other chains found that fits, the fastest first.
  std::vector<Decisions> others;
};

class Annealer {
 public:
  // Both must outlive this. 0: no limit on host bytes.
  Annealer(const LeanModel* model, const Limit* limit, int64_t host_limit_bytes, Means means = Means::kAll);

  AnnealResult Run(const Decisions& start, const AnnealOptions& options);

 private:
  struct Change {
    int32_t unit = 0;
    Mode before = Mode::kKeep;
  };

  // Within the means.
  bool Allows(int32_t unit, Mode mode) const;
  void ProposeMove(Decisions* decisions);
  void Set(int32_t unit, Mode mode, Decisions* decisions);
  void SetRandomMode(int32_t unit, Decisions* decisions);
  void Exchange(Decisions* decisions);
  void SetRun(Decisions* decisions);
  void CopyPattern(Decisions* decisions);
  int32_t RandomUnit() { return units_with_choice_[random_() % units_with_choice_.size()]; }

  bool Fits(const Evaluation& evaluation) const;
  // Of what is above the budget, in seconds.
  double Penalty(const Evaluation& evaluation) const;
  // Only of memory and of computing; EvaluateTime can but add to it.
  double Cost(const Evaluation& evaluation) const;

  const LeanModel& model_;
  const Limit& limit_;
  const int64_t host_limit_bytes_;
  LeanEvaluator evaluator_;
  AnnealOptions options_;
  bool memory_first_ = false;
  std::mt19937_64 random_;
  // Units that allow more than one mode, and all modes that each unit allows.
  std::vector<int32_t> units_with_choice_;
  std::vector<std::vector<Mode>> modes_;
  std::vector<Change> changes_;
};

}  // namespace str::strategies

#endif  // STR_STRATEGIES_STR_ANNEALER_H_
