// str-paper: STR's published model, solved to the optimum; str-approx: its relaxation, rounded by tracing sources, on a
// graph coarsened to at most 64 nodes. Both in the captured order.
#include <memory>
#include <utility>
#include <vector>

#include "optimizer/ilp/solvers.h"
#include "strategies/base_order.h"
#include "strategies/planner.h"
#include "strategies/registry.h"
#include "strategies/staged/staged_graph.h"
#include "strategies/staged/staged_model.h"
#include "strategies/staged/staged_planning.h"
#include "strategies/str_paper/coarsening.h"
#include "strategies/str_paper/source_tracing.h"
#include "strategies/str_paper/swap_columns.h"
#include "strategies/str_paper/swap_program.h"

namespace str::strategies {
namespace {

using optimizer::Solution;
using optimizer::SolveOptions;
using optimizer::Solver;
using optimizer::SolveStatus;

// What STR coarsens graphs to unless told otherwise. Nodes are not fused that would need half the memory to run.
constexpr int kMostNodes = 64;

SwapSchedule Read(const StagedModel& model, const SwapColumns& columns, int size, const std::vector<double>& values) {
  SwapSchedule schedule = {model.Read(values).held, StageMatrix(size), StageMatrix(size)};
  for (int stage = 0; stage < size; ++stage) {
    for (int i = 0; i < stage; ++i) {
      schedule.out.Set(stage, i, columns.out(stage, i).Value(values) > 0.5);
      schedule.in.Set(stage, i, columns.in(stage, i).Value(values) > 0.5);
    }
  }
  return schedule;
}

class StrPaperPlanner : public Planner {
 public:
  StrPaperPlanner(std::string name, std::string description, bool approximate)
      : name_(std::move(name)), description_(std::move(description)), approximate_(approximate) {}

  absl::string_view name() const override { return name_; }
  absl::string_view description() const override { return description_; }

  absl::StatusOr<PlanResult> Plan(const PlanRequest& request, const ProgressCallback& progress,
                                  const std::atomic<bool>* stop) const override {
    if (absl::Status status = optimizer::RequireCopyRates(*request.costs); !status.ok()) return status;
    const absl::StatusOr<std::unique_ptr<const Solver>> solver = optimizer::MakeSolver(request.solver);
    if (!solver.ok()) return solver.status();
    const absl::StatusOr<std::vector<optimizer::NodeId>> order = BaseOrder(request);
    if (!order.ok()) return order.status();
    StagedGraph staged(*request.graph, *request.costs, *order, request.pins);
    if (approximate_ && staged.size() > kMostNodes) {
      staged = Coarsen(staged, kMostNodes, (request.budget_bytes - staged.fixed_bytes()) / 2);
    }
    const SwapTables tables = MakeSwapTables(*request.graph, *request.costs, staged);
    std::vector<bool> may_swap;
    for (int i = 0; i < staged.size(); ++i) may_swap.push_back(staged.node(i).may_swap);
    const auto solve = [&](int64_t budget_bytes, SolveOptions options) -> absl::StatusOr<StagedAttempt> {
      StagedAttempt attempt;
      SwapColumns columns(&staged, &tables, may_swap, SwapRows::kSound);
      const StagedModel model(&staged, budget_bytes, &columns);
      if (!model.possible()) {
        attempt.status = SolveStatus::kInfeasible;
        return attempt;
      }
      options.relax_integers = approximate_;
      TellSeconds(model, &options);
      const absl::StatusOr<Solution> solution = (*solver)->Solve(model.model(), options);
      if (!solution.ok()) return solution.status();
      attempt.status = solution->status;
      if (solution->values.empty()) return attempt;
      const SwapSchedule schedule = approximate_
                                        ? TraceSources(staged, tables, model, columns, solution->values, budget_bytes)
                                        : Read(model, columns, staged.size(), solution->values);
      attempt.program = SwapProgram(*request.graph, staged, tables, schedule);
      // The optimum of a relaxation is not that of a plan.
      if (approximate_) attempt.status = SolveStatus::kFeasible;
      return attempt;
    };
    absl::StatusOr<PlanResult> result = PlanByStages(staged, request, progress, stop, solve);
    if (result.ok()) result->solver = (*solver)->name();
    return result;
  }

 private:
  const std::string name_, description_;
  const bool approximate_;
};

const PlannerRegistration kPaper(std::make_unique<StrPaperPlanner>(
    "str-paper", "swaps and recomputes, by STR's published integer model; for graphs of a few dozen nodes", false));
const PlannerRegistration kApprox(std::make_unique<StrPaperPlanner>(
    "str-approx", "swaps and recomputes, by STR's published model relaxed and rounded, on a coarsened graph", true));

}  // namespace
}  // namespace str::strategies
