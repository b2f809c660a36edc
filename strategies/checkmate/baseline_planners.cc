// checkpoint-last, chen-sqrt, chen-greedy and griewank: the baselines of Checkmate's paper as planners. Each has a
// short list of schedules for a graph, whatever the budget; the cheapest that fits is the plan.
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "strategies/checkmate/baselines.h"
#include "strategies/checkmate/passes.h"
#include "strategies/checkmate/retention.h"
#include "strategies/planner.h"
#include "strategies/program_list.h"
#include "strategies/registry.h"
#include "strategies/staged/schedule.h"
#include "strategies/staged/staged_graph.h"

namespace str::strategies {
namespace {

// Hands over what the next schedule holds; false: enough.
using Visit = std::function<bool(StageMatrix)>;
// Goes through the schedules of a baseline.
using Baseline = std::function<void(const StagedGraph&, const Passes&, const Visit&)>;

class BaselinePlanner : public Planner {
 public:
  BaselinePlanner(std::string name, std::string description, Baseline baseline)
      : name_(std::move(name)), description_(std::move(description)), baseline_(std::move(baseline)) {}

  absl::string_view name() const override { return name_; }
  absl::string_view description() const override { return description_; }
  bool copies() const override { return false; }

  absl::StatusOr<PlanResult> Plan(const PlanRequest& request, const ProgressCallback& progress,
                                  const std::atomic<bool>* stop) const override {
    const Limit limit(request.time_limit, stop);
    const StagedGraph staged(*request.graph, *request.costs, optimizer::CapturedOrder(*request.graph), request.pins);
    const Passes passes = FindPasses(staged, request.graph);
    ProgramList list(&request);
    absl::Status status;
    bool complete = true;
    baseline_(staged, passes, [&](StageMatrix held) {
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
  const std::string name_, description_;
  const Baseline baseline_;
};

Baseline Sqrt(Checkpoints where) {
  return [where](const StagedGraph& staged, const Passes& passes, const Visit& visit) {
    visit(ChenSqrt(staged, passes, where).held);
  };
}

Baseline Greedy(Checkpoints where) {
  return [where](const StagedGraph& staged, const Passes& passes, const Visit& visit) {
    for (const std::vector<int>& checkpoints : ChenGreedySweep(staged, passes, where)) {
      if (!visit(HoldCheckpoints(staged, passes, checkpoints))) return;
    }
  };
}

void Last(const StagedGraph& staged, const Passes& passes, const Visit& visit) { visit(HoldLast(staged, passes)); }

void Griewank(const StagedGraph& staged, const Passes& passes, const Visit& visit) {
  for (const int snapshots : SnapshotCounts(static_cast<int>(passes.articulation_points.size()))) {
    if (!visit(HoldByRevolve(staged, passes, snapshots))) return;
  }
}

const PlannerRegistration kRegistrations[] = {
    PlannerRegistration(std::make_unique<BaselinePlanner>(
        "checkpoint-last", "holds only the value before and recomputes everything else; the least memory", Last)),
    PlannerRegistration(std::make_unique<BaselinePlanner>(
        "chen-sqrt", "recomputes between checkpoints at every k-th articulation point, k the root of their number",
        Sqrt(Checkpoints::kArticulationPoints))),
    PlannerRegistration(std::make_unique<BaselinePlanner>(
        "chen-sqrt-noap", "chen-sqrt with checkpoints anywhere in the forward pass", Sqrt(Checkpoints::kAnywhere))),
    PlannerRegistration(std::make_unique<BaselinePlanner>(
        "chen-greedy", "recomputes between checkpoints at articulation points, so many bytes apart",
        Greedy(Checkpoints::kArticulationPoints))),
    PlannerRegistration(std::make_unique<BaselinePlanner>("chen-greedy-noap",
                                                          "chen-greedy with checkpoints anywhere in the forward pass",
                                                          Greedy(Checkpoints::kAnywhere))),
    PlannerRegistration(std::make_unique<BaselinePlanner>(
        "griewank", "recomputes by the optimal schedule for reversing a chain (revolve), over articulation points",
        Griewank)),
};

}  // namespace
}  // namespace str::strategies
