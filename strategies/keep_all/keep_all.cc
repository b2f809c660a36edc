// keep-all: nothing is swapped or recomputed; of the candidate orders the one that needs the least memory.
#include <memory>
#include <utility>

#include "optimizer/order/orders.h"
#include "strategies/needs.h"
#include "strategies/planner.h"
#include "strategies/registry.h"

namespace str::strategies {
namespace {

class KeepAllPlanner : public Planner {
 public:
  absl::string_view name() const override { return "keep-all"; }
  absl::string_view description() const override {
    return "keeps every tensor; only the order of the nodes saves memory";
  }

  absl::StatusOr<PlanResult> Plan(const PlanRequest& request, const ProgressCallback& progress,
                                  const std::atomic<bool>* stop) const override {
    const absl::StatusOr<std::vector<optimizer::CandidateOrder>> orders =
        optimizer::FindOrders(*request.graph, *request.costs);
    if (!orders.ok()) return orders.status();
    PlanResult result;
    for (const optimizer::CandidateOrder& order : *orders) {
      optimizer::Program program = optimizer::KeepAll(*request.graph, order.nodes);
      const absl::StatusOr<Needs> needs = FindNeeds(request, program, 0);
      if (!needs.ok()) return needs.status();
      if (!result.least_memory_program.empty() && needs->bytes >= result.min_budget_bytes) continue;
      result.min_budget_bytes = needs->bytes;
      result.least_memory_program = std::move(program);
    }
    result.status = PlanStatus::kInfeasible;
    if (result.min_budget_bytes <= request.budget_bytes) {
      result.status = PlanStatus::kFeasible;
      result.program = result.least_memory_program;
    }
    return result;
  }
};

const PlannerRegistration kRegistration(std::make_unique<KeepAllPlanner>());

}  // namespace
}  // namespace str::strategies
