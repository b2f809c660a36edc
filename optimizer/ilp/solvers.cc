#include "optimizer/ilp/solvers.h"

#include "optimizer/ilp/gurobi_solver.h"
#include "optimizer/ilp/highs_solver.h"

namespace str::optimizer {

absl::StatusOr<std::unique_ptr<const Solver>> MakeSolver(SolverKind kind) {
  if (kind == SolverKind::kGurobi) return MakeGurobiSolver();
  return std::make_unique<const HighsSolver>();
}

}  // namespace str::optimizer
