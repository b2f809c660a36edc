// checkpoint-last, chen-sqrt, chen-greedy and griewank: the baselines of Checkmate's paper as planners. Each has a
// short list of schedules for a graph, whatever the budget; the cheapest that fits is the plan.
#include <memory>

#include "strategies/base_order.h"
#include "strategies/checkmate/baseline_list.h"
#include "strategies/checkmate/passes.h"
#include "strategies/checkmate/retention.h"
#include "strategies/planner.h"
#include "strategies/program_list.h"
#include "strategies/registry.h"
#include "strategies/staged/schedule.h"
#include "strategies/staged/staged_graph.h"

namespace str::strategies {
namespace {

class BaselinePlanner : public Planner {
 public:
  // The baseline must outlive this.
  explicit BaselinePlanner(const Baseline* baseline) : baseline_(*baseline) {}

  absl::string_view name() const override { return baseline_.name; }
  absl::string_view description() const override { return baseline_.description; }
  bool copies() const override { return false; }

  absl::StatusOr<PlanResult> Plan(const PlanRequest& request, const ProgressCallback& progress,
                                  const std::atomic<bool>* stop) const override {
    const Limit limit(request.time_limit, stop);
    const absl::StatusOr<std::vector<optimizer::NodeId>> order = BaseOrder(request);
    if (!order.ok()) return order.status();
    const StagedGraph staged(*request.graph, *request.costs, *order, request.pins);
    const Passes passes = FindPasses(staged, request.graph);
    ProgramList list(&request);
    absl::Status status;
    bool complete = true;
    baseline_.visit_schedules(staged, passes, [&](StageMatrix held) {
      complete = !limit.Reached();
      if (!complete) return false;
      MakeRunnable(staged, passes.small, &held);
      status = list.Add(ProgramOf(*request.graph, staged, LeastComputed(staged, held)));
      return status.ok();
    });
    if (!status.ok()) return status;
    return list.Choose(limit, complete);
  }

 private:
  const Baseline& baseline_;
};

// Registers them all when the program starts.
const bool kRegistered = [] {
  for (const Baseline& baseline : AllBaselines()) PlannerRegistration(std::make_unique<BaselinePlanner>(&baseline));
  return true;
}();

}  // namespace
}  // namespace str::strategies
