// The solvers by the name that people type. HiGHS is always there; Gurobi is looked for when it is asked for, never
// taken because something else is missing.
#ifndef STR_OPTIMIZER_ILP_SOLVERS_H_
#define STR_OPTIMIZER_ILP_SOLVERS_H_

#include <memory>

#include "absl/status/statusor.h"
#include "optimizer/ilp/solver.h"

namespace str::optimizer {

enum class SolverKind { kHighs, kGurobi };

// FailedPrecondition, saying what to do, if it is not installed or has no licence.
absl::StatusOr<std::unique_ptr<const Solver>> MakeSolver(SolverKind kind);

}  // namespace str::optimizer

#endif  // STR_OPTIMIZER_ILP_SOLVERS_H_
