// Solves linear models with Gurobi through its C interface, on one thread.
#ifndef STR_OPTIMIZER_ILP_GUROBI_C_SOLVER_H_
#define STR_OPTIMIZER_ILP_GUROBI_C_SOLVER_H_

#include <memory>
#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "optimizer/ilp/gurobi_library.h"
#include "optimizer/ilp/solver.h"

namespace str::optimizer {

class GurobiCSolver : public Solver {
 public:
  // FailedPrecondition if there is no licence, or one that refuses the C interface.
  static absl::StatusOr<std::unique_ptr<const GurobiCSolver>> Make(const GurobiLibrary& library);
  ~GurobiCSolver() override;

  std::string name() const override;
  // One at a time: others wait.
  absl::StatusOr<Solution> Solve(const LinearModel& model, const SolveOptions& options) const override;

 private:
  GurobiCSolver(const GurobiLibrary& library, void* environment) : library_(library), environment_(environment) {}

  const GurobiLibrary library_;
  mutable absl::Mutex mutex_;
  void* const environment_ ABSL_PT_GUARDED_BY(mutex_);
};

}  // namespace str::optimizer

#endif  // STR_OPTIMIZER_ILP_GUROBI_C_SOLVER_H_
