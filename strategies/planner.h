// The interface of all planners, and its contract.
//
// A planner turns a graph and a byte budget into a program (optimizer/simulator/program.h). It reports no numbers of
// its own: the judge tells peak and time, for every planner alike. What callers may rely on:
//  - A result of kOptimal or kFeasible has a program that fits the budget: the judge's peak is at most budget_bytes, so
//    are the fit bytes of its placement (optimizer/placement/fit.h) if it must be placed, and host memory is at most
//    host_limit_bytes. Planners know no disk: PlanWithTiers (tiers.h) makes their plans use one.
//  - That no plan fits (kInfeasible) or was found in time (kLimit) is a result, not an error. Errors are for requests
//    that cannot be planned at all, such as unknown copy rates, and say what to do.
//  - When the time limit passes or the caller stops it, a planner returns the best plan it has, soon.
//  - The same request and seed give the same program, unless a time limit cut the search short.
//  - A planner with min_budget_bytes plans successfully at exactly that budget.
// Planners trust their input: a graph comes from Graph::FromFile, costs from FindCosts for the same file.
#ifndef STR_STRATEGIES_PLANNER_H_
#define STR_STRATEGIES_PLANNER_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "optimizer/cost/costs.h"
#include "optimizer/graph/graph.h"
#include "optimizer/ilp/solvers.h"
#include "optimizer/simulator/program.h"

namespace str::strategies {

// What may be done with a tensor besides keeping it.
enum class Pin : int8_t { kFree, kKeep, kSwap, kRecompute };

struct PlanRequest {
  const optimizer::Graph* graph = nullptr;
  const optimizer::Costs* costs = nullptr;
  int64_t budget_bytes = 0;
  // Whether its buffers must have places within the budget, as a graph needs that will be run. Without it the peak
  // alone counts, as in the literature.
  bool placed = true;
  // Most bytes of host copies at once; 0: no limit.
  int64_t host_limit_bytes = 0;
  // Most bytes of copies on the disk at once; 0: none.
  int64_t disk_limit_bytes = 0;
  absl::Duration time_limit = absl::InfiniteDuration();
  uint64_t seed = 0;
  // At most this many. The plan does not depend on it.
  int threads = 1;
  // Enough if proven: a plan this share above its bound at most.
  double gap = 0.005;
  // For planners that need one. What is not installed or licensed is an error of those planners only.
  optimizer::SolverKind solver = optimizer::SolverKind::kHighs;
  // By tensor id; empty: all free.
  std::vector<Pin> pins;
};

// A plan this share above its bound at most is kOptimal: what the proof leaves to the floating point of solvers and to
// the bound's own safety margin (docs/certificate.md).
inline constexpr double kOptimalGap = 5e-6;

enum class PlanStatus {
  // Proven: no plan of the planner's class is faster.
  kOptimal,
  kFeasible,
  kInfeasible,
  // Stopped before a plan was found.
  kLimit,
};

struct PlanResult {
  PlanStatus status = PlanStatus::kLimit;
  // Empty unless kOptimal or kFeasible.
  optimizer::Program program;
  // The smallest budget at which this planner succeeds; 0: not known.
  int64_t min_budget_bytes = 0;
  // The program of that budget: its peak is what an infeasible budget fails at. Empty if not known.
  optimizer::Program least_memory_program;
  // Proven bound on the step time of any plan in this order of first runs (docs/certificate.md); 0: none was computed.
  double bound_seconds = 0;
  // The same for plans in any order; at most bound_seconds.
  double any_order_bound_seconds = 0;
  // With its version, Solver::name(). Empty: none was used.
  std::string solver;
};

// One line for people on what is being done, at most a few per second.
using ProgressCallback = std::function<void(absl::string_view)>;

class Planner {
 public:
  virtual ~Planner() = default;
  // As typed after --strategy=.
  virtual absl::string_view name() const = 0;
  // One line for `str strategies`.
  virtual absl::string_view description() const = 0;
  // Whether its plans may copy tensors to the host and back. If not, bound and gap are about plans that do not either.
  virtual bool copies() const { return true; }
  // Whether it looks for a bound itself, if it has the time.
  virtual bool bounds() const { return false; }
  // Whether its bound is the best that can be proven in its time, so that nobody need try further.
  virtual bool proves() const { return false; }
  // PlanRequest::gap if nobody asks for another.
  virtual double default_gap() const { return 0.005; }
  // `progress` may be empty. `stop` may be null; it may be set at any time, also from a signal handler.
  // Thread-safe: a planner keeps nothing between calls.
  virtual absl::StatusOr<PlanResult> Plan(const PlanRequest& request, const ProgressCallback& progress,
                                          const std::atomic<bool>* stop) const = 0;
};

// Whether a planner should come to an end.
class Limit {
 public:
  Limit(absl::Duration time_limit, const std::atomic<bool>* stop)
      : deadline_(absl::Now() + time_limit), timed_(time_limit != absl::InfiniteDuration()), stop_(stop) {}

  absl::Duration Left() const { return timed_ ? deadline_ - absl::Now() : absl::InfiniteDuration(); }

  bool Reached() const {
    return (stop_ != nullptr && stop_->load(std::memory_order_relaxed)) || (timed_ && absl::Now() >= deadline_);
  }

 private:
  absl::Time deadline_;
  bool timed_;
  const std::atomic<bool>* stop_;
};

}  // namespace str::strategies

#endif  // STR_STRATEGIES_PLANNER_H_
