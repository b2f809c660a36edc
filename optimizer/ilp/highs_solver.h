// Solves linear models with HiGHS, on one thread.
#ifndef STR_OPTIMIZER_ILP_HIGHS_SOLVER_H_
#define STR_OPTIMIZER_ILP_HIGHS_SOLVER_H_

#include <string>

#include "absl/status/statusor.h"
#include "optimizer/ilp/linear_model.h"
#include "optimizer/ilp/solver.h"

namespace str::optimizer {

// Thread-safe. Internal if HiGHS refuses the model.
absl::StatusOr<Solution> SolveWithHighs(const LinearModel& model, const SolveOptions& options);

class HighsSolver : public Solver {
 public:
  std::string name() const override;
  absl::StatusOr<Solution> Solve(const LinearModel& model, const SolveOptions& options) const override {
    return SolveWithHighs(model, options);
  }
};

}  // namespace str::optimizer

#endif  // STR_OPTIMIZER_ILP_HIGHS_SOLVER_H_
