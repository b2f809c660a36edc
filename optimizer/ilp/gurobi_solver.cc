#include "optimizer/ilp/gurobi_solver.h"

#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "optimizer/ilp/gurobi_c_solver.h"
#include "optimizer/ilp/gurobi_library.h"
#include "optimizer/ilp/gurobipy_solver.h"

namespace str::optimizer {

absl::StatusOr<std::unique_ptr<const Solver>> MakeGurobiSolver() {
  const char* set = std::getenv("STR_GUROBI_PYTHON");
  const std::string python = set != nullptr && *set != '\0' ? set : "python3";
  std::vector<std::string> reasons;
  for (const std::string& path : GurobiCandidates(python)) {
    const absl::StatusOr<GurobiLibrary> library = GurobiLibrary::Open(path);
    if (!library.ok()) continue;
    absl::StatusOr<std::unique_ptr<const GurobiCSolver>> solver = GurobiCSolver::Make(*library);
    if (solver.ok()) return *std::move(solver);
    reasons.push_back(absl::StrCat(path, ": ", solver.status().message()));
  }
  if (reasons.empty()) reasons.push_back("there is no libgurobi under GUROBI_HOME or on the loader's path");
  absl::StatusOr<std::unique_ptr<const GurobipySolver>> solver = GurobipySolver::Make(python);
  if (solver.ok()) return *std::move(solver);
  reasons.emplace_back(solver.status().message());
  return absl::FailedPreconditionError(absl::StrCat(
      "Gurobi cannot be used: ", absl::StrJoin(reasons, "; "),
      ". Install it (requirements-optional.txt has gurobipy), set GUROBI_HOME and GRB_LICENSE_FILE, or use "
      "--solver=highs"));
}

}  // namespace str::optimizer
