// From decisions to a program, and what it amounts to under a budget by the judge's engine.
//
// Reused from decision to decision; not thread-safe.
#ifndef STR_STRATEGIES_STR_EVALUATOR_H_
#define STR_STRATEGIES_STR_EVALUATOR_H_

#include <cstdint>
#include <vector>

#include "optimizer/simulator/program.h"
#include "optimizer/simulator/simulator.h"
#include "strategies/str/composer.h"
#include "strategies/str/decoder.h"
#include "strategies/str/evaluation.h"
#include "strategies/str/problem.h"

namespace str::strategies {

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
  // Where the tight program needs most.
  int32_t PeakStage() const;

 private:
  const Problem& problem_;
  optimizer::Simulator simulator_;
  Decoder decoder_;
  Composer composer_;
  Draft draft_;
  optimizer::Simulation simulation_, relaxed_simulation_;
  optimizer::Program tight_program_, relaxed_program_;
  std::vector<int32_t> steps_;
  std::vector<int64_t> compute_bytes_;
  bool evaluation_tight_ = true;
};

}  // namespace str::strategies

#endif  // STR_STRATEGIES_STR_EVALUATOR_H_
