// Gurobi where it is installed: through its C interface if the licence allows that, else through gurobipy.
#ifndef STR_OPTIMIZER_ILP_GUROBI_SOLVER_H_
#define STR_OPTIMIZER_ILP_GUROBI_SOLVER_H_

#include <memory>

#include "absl/status/statusor.h"
#include "optimizer/ilp/solver.h"

namespace str::optimizer {

// Looks at GUROBI_HOME, the loader's path, and the gurobipy of the Python that STR_GUROBI_PYTHON names (default:
// python3). FailedPrecondition if none of it works, with the reason for each and what to do.
absl::StatusOr<std::unique_ptr<const Solver>> MakeGurobiSolver();

}  // namespace str::optimizer

#endif  // STR_OPTIMIZER_ILP_GUROBI_SOLVER_H_
