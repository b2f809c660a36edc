// Solves linear models with Gurobi through Python's gurobipy, whose bundled licence refuses Gurobi's C interface and
// takes models of up to 2000 columns and 2000 rows. Models are handed over as MPS files to one Python process that
// lives as long as the solver.
#ifndef STR_OPTIMIZER_ILP_GUROBIPY_SOLVER_H_
#define STR_OPTIMIZER_ILP_GUROBIPY_SOLVER_H_

#include <memory>
#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "optimizer/ilp/line_process.h"
#include "optimizer/ilp/solver.h"

namespace str::optimizer {

class GurobipySolver : public Solver {
 public:
  // With this Python. FailedPrecondition if there is none, or no gurobipy in it, or no licence for it.
  static absl::StatusOr<std::unique_ptr<const GurobipySolver>> Make(const std::string& python);

  std::string name() const override { return name_; }
  // One at a time: others wait.
  absl::StatusOr<Solution> Solve(const LinearModel& model, const SolveOptions& options) const override;

 private:
  GurobipySolver(std::string name, std::unique_ptr<LineProcess> process)
      : name_(std::move(name)), process_(std::move(process)) {}

  const std::string name_;
  mutable absl::Mutex mutex_;
  const std::unique_ptr<LineProcess> process_ ABSL_PT_GUARDED_BY(mutex_);
};

}  // namespace str::optimizer

#endif  // STR_OPTIMIZER_ILP_GUROBIPY_SOLVER_H_
