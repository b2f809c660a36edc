// What planners with staged models have in common: solve, judge, and solve again with less memory where the judge finds
// that the schedule needs more than the model says.
#ifndef STR_STRATEGIES_STAGED_STAGED_PLANNING_H_
#define STR_STRATEGIES_STAGED_STAGED_PLANNING_H_

#include <atomic>
#include <cstdint>
#include <functional>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "optimizer/ilp/solver.h"
#include "optimizer/simulator/program.h"
#include "strategies/planner.h"
#include "strategies/staged/staged_graph.h"
#include "strategies/staged/staged_model.h"

namespace str::strategies {

struct StagedAttempt {
  // kOptimal and kFeasible have a program.
  optimizer::SolveStatus status = optimizer::SolveStatus::kNone;
  optimizer::Program program;
};

// Finds a program for so many bytes of values. `options` holds what is left of the time limit, the stop flag and
// progress.
using StagedSolve = std::function<absl::StatusOr<StagedAttempt>(int64_t budget_bytes, optimizer::SolveOptions options)>;

// Makes progress come in seconds instead of in the model's unit. The model must outlive the solve.
void TellSeconds(const StagedModel& model, optimizer::SolveOptions* options);

// FailedPrecondition, saying what to do, if the graph is too large to be a staged model at all.
absl::Status CheckModelSize(const StagedGraph& staged);

// The plan of a staged model for the order of its nodes. If everything can be kept, that is the plan, and optimal.
// The result is optimal only if the model's first solution is, and fits. Its smallest budget is not known.
// Fails where CheckModelSize does, if not everything can be kept.
absl::StatusOr<PlanResult> PlanByStages(const StagedGraph& staged, const PlanRequest& request,
                                        const ProgressCallback& progress, const std::atomic<bool>* stop,
                                        const StagedSolve& solve);

}  // namespace str::strategies

#endif  // STR_STRATEGIES_STAGED_STAGED_PLANNING_H_
