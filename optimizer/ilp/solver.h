// What every solver of linear models takes and returns, and the interface of all solvers.
//
// How a solve ended is data, not an error; errors are for solvers that cannot work at all and say what to do.
#ifndef STR_OPTIMIZER_ILP_SOLVER_H_
#define STR_OPTIMIZER_ILP_SOLVER_H_

#include <atomic>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "optimizer/ilp/linear_model.h"

namespace str::optimizer {

enum class SolveStatus {
  // Within the asked-for gap.
  kOptimal,
  kInfeasible,
  // A limit was reached; there is a solution.
  kFeasible,
  // A limit was reached, or the solver gave up, before there was a solution.
  kNone,
};

struct SolveOptions {
  // Integer columns may take any value within their bounds.
  bool relax_integers = false;
  absl::Duration time_limit = absl::InfiniteDuration();
  // Stop when objective - bound is at most this share of the objective.
  double relative_gap = 0;
  // Hint: false if only the bound is of interest.
  bool heuristics = true;
  // Hint: the search may stop when the bound is at least this.
  double enough_bound = std::numeric_limits<double>::infinity();
  // May be null; may be set at any time.
  const std::atomic<bool>* stop = nullptr;
  // Best objective and bound so far, now and then while integers are searched; infinite where there is none.
  std::function<void(double objective, double bound)> progress;
};

struct Solution {
  SolveStatus status = SolveStatus::kNone;
  // Of `values`; infinite without them.
  double objective = std::numeric_limits<double>::infinity();
  // No solution is better, as far as the solver's floating point can be trusted: leave a margin. Minus infinity if
  // nothing is known. With kInfeasible it is infinite.
  double bound = -std::numeric_limits<double>::infinity();
  // By column; empty for kInfeasible and kNone.
  std::vector<double> values;
};

// Thread-safe; no solve knows of another.
class Solver {
 public:
  virtual ~Solver() = default;
  // With its version, for logs and results: "HiGHS 1.15.1".
  virtual std::string name() const = 0;
  // FailedPrecondition if the solver's licence does not allow this model; Internal if the solver breaks down.
  virtual absl::StatusOr<Solution> Solve(const LinearModel& model, const SolveOptions& options) const = 0;
};

}  // namespace str::optimizer

#endif  // STR_OPTIMIZER_ILP_SOLVER_H_
