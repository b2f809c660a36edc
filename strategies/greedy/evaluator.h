// What decisions amount to under a budget, by the judge's engine.
//
// Reused from decision to decision; not thread-safe.
#ifndef STR_STRATEGIES_GREEDY_EVALUATOR_H_
#define STR_STRATEGIES_GREEDY_EVALUATOR_H_

#include <cstdint>
#include <vector>

#include "optimizer/simulator/program.h"
#include "optimizer/simulator/simulator.h"
#include "strategies/greedy/composer.h"
#include "strategies/greedy/decoder.h"
#include "strategies/greedy/problem.h"

namespace str::strategies {

struct Evaluation {
  // False: the decisions cannot be carried out sensibly.
  bool valid = false;
  // Of the tight program: its peak, and how far it is above the budget: summed over time, and at most.
  int64_t tight_peak_bytes = 0;
  double excess = 0;
  int64_t most_excess_bytes = 0;
  // Of the program chosen: the relaxed one if it keeps the budget, else the tight one.
  int64_t peak_bytes = 0;
  int64_t host_peak_bytes = 0;
  double seconds = 0;
  // Copies both ways, whether or not anything waits for them.
  double copy_seconds = 0;

  // What searches minimise. Copies that hide behind computing are not quite free: they share the memory's bandwidth.
  double Cost() const { return seconds + 0.02 * copy_seconds; }
};

class Evaluator {
 public:
  // `problem` must outlive this.
  explicit Evaluator(const Problem* problem);

  // Of the tight program only, and without its time.
  Evaluation EvaluateMemory(const Decisions& decisions, int64_t budget_bytes);
  // Completes what EvaluateMemory began for the same decisions and budget.
  void EvaluateTime(int64_t budget_bytes, Evaluation* evaluation);
  Evaluation Evaluate(const Decisions& decisions, int64_t budget_bytes);

  // Of the last call. `program()` is the one chosen by EvaluateTime.
  const optimizer::Program& program() const { return evaluation_tight_ ? tight_program_ : relaxed_program_; }
  const optimizer::Program& tight_program() const { return tight_program_; }
  // Per stage the most bytes that the tight program uses in it, and how long it computes there.
  const std::vector<int64_t>& stage_bytes() const { return stage_bytes_; }
  const std::vector<double>& stage_seconds() const { return stage_seconds_; }
  // How many computes have been evaluated so far: a measure of time that is the same on every machine.
  int64_t work() const { return work_; }

 private:
  const Problem& problem_;
  optimizer::Simulator simulator_;
  Decoder decoder_;
  Composer composer_;
  // The least weight of a compute in the excess, so that short ones count too.
  double least_weight_ = 0;
  Draft draft_;
  optimizer::Simulation simulation_, relaxed_simulation_;
  optimizer::Program tight_program_, relaxed_program_;
  std::vector<int32_t> steps_;
  std::vector<int64_t> compute_bytes_;
  std::vector<int64_t> stage_bytes_;
  std::vector<double> stage_seconds_;
  bool evaluation_tight_ = true;
  int64_t work_ = 0;
};

}  // namespace str::strategies

#endif  // STR_STRATEGIES_GREEDY_EVALUATOR_H_
