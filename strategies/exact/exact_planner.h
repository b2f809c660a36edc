// `str-exact`: plans as the default planner does, then proves how good the plan is with the per-op integer model
// (optimizer/bound/leanmix_bound.h), takes over what the model's solutions do better, and goes on until no better plan
// in this order can exist, the asked-for gap is reached, or it is stopped.
//
// kOptimal is claimed only where the judge's time of the plan is within the gap, or within kOptimalGap, of the bound.
#ifndef STR_STRATEGIES_EXACT_EXACT_PLANNER_H_
#define STR_STRATEGIES_EXACT_EXACT_PLANNER_H_

#include "strategies/planner.h"

namespace str::strategies {

class ExactPlanner : public Planner {
 public:
  absl::string_view name() const override { return "str-exact"; }
  absl::string_view description() const override {
    return "swaps and recomputes; integer model to proven optimality for the plan's order (up to 160 stages where "
           "memory is short)";
  }
  double default_gap() const override { return 0; }
  bool proves() const override { return true; }
  absl::StatusOr<PlanResult> Plan(const PlanRequest& request, const ProgressCallback& progress,
                                  const std::atomic<bool>* stop) const override;
};

}  // namespace str::strategies

#endif  // STR_STRATEGIES_EXACT_EXACT_PLANNER_H_
