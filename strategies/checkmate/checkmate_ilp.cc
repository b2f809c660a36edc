// checkmate-ilp: Checkmate's integer model (strategies/staged/staged_model.h), solved to the optimum in the captured
// order, its schedule run as reruns.
#include <memory>
#include <utility>

#include "optimizer/ilp/solvers.h"
#include "strategies/base_order.h"
#include "strategies/planner.h"
#include "strategies/registry.h"
#include "strategies/staged/schedule.h"
#include "strategies/staged/staged_graph.h"
#include "strategies/staged/staged_model.h"
#include "strategies/staged/staged_planning.h"

namespace str::strategies {
namespace {

using optimizer::Solution;
using optimizer::SolveOptions;
using optimizer::Solver;
using optimizer::SolveStatus;

class CheckmateIlpPlanner : public Planner {
 public:
  absl::string_view name() const override { return "checkmate-ilp"; }
  absl::string_view description() const override {
    return "recomputes, by Checkmate's integer model; for graphs of a few hundred nodes";
  }
  bool copies() const override { return false; }

  absl::StatusOr<PlanResult> Plan(const PlanRequest& request, const ProgressCallback& progress,
                                  const std::atomic<bool>* stop) const override {
    const absl::StatusOr<std::unique_ptr<const Solver>> solver = optimizer::MakeSolver(request.solver);
    if (!solver.ok()) return solver.status();
    const absl::StatusOr<std::vector<optimizer::NodeId>> order = BaseOrder(request);
    if (!order.ok()) return order.status();
    const StagedGraph staged(*request.graph, *request.costs, *order, request.pins);
    const auto solve = [&](int64_t budget_bytes, SolveOptions options) -> absl::StatusOr<StagedAttempt> {
      StagedAttempt attempt;
      const StagedModel model(&staged, budget_bytes, nullptr);
      if (!model.possible()) {
        attempt.status = SolveStatus::kInfeasible;
        return attempt;
      }
      TellSeconds(model, &options);
      const absl::StatusOr<Solution> solution = (*solver)->Solve(model.model(), options);
      if (!solution.ok()) return solution.status();
      attempt.status = solution->status;
      if (!solution->values.empty()) {
        attempt.program = ProgramOf(*request.graph, staged, model.Read(solution->values).computed);
      }
      return attempt;
    };
    absl::StatusOr<PlanResult> result = PlanByStages(staged, request, progress, stop, solve);
    if (result.ok()) result->solver = (*solver)->name();
    return result;
  }
};

const PlannerRegistration kRegistration(std::make_unique<CheckmateIlpPlanner>());

}  // namespace
}  // namespace str::strategies
