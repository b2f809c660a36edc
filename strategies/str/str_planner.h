// The default planner: keeps, swaps or recomputes each storage in each gap between its uses. One engine, three
// planners: str (mixed), swap-only and recompute-only.
#ifndef STR_STRATEGIES_STR_STR_PLANNER_H_
#define STR_STRATEGIES_STR_STR_PLANNER_H_

#include <string>

#include "strategies/planner.h"

namespace str::strategies {

struct StrPlannerOptions {
  std::string name;
  std::string description;
  bool allow_swap = true;
  bool allow_recompute = true;
};

class StrPlanner : public Planner {
 public:
  explicit StrPlanner(StrPlannerOptions options) : options_(std::move(options)) {}
  absl::string_view name() const override { return options_.name; }
  absl::string_view description() const override { return options_.description; }
  // It is fast enough to look further than a proof will usually reach.
  bool bounds() const override { return true; }
  double default_gap() const override { return 1e-4; }
  bool copies() const override { return options_.allow_swap; }
  absl::StatusOr<PlanResult> Plan(const PlanRequest& request, const ProgressCallback& progress,
                                  const std::atomic<bool>* stop) const override;

 private:
  const StrPlannerOptions options_;
};

}  // namespace str::strategies

#endif  // STR_STRATEGIES_STR_STR_PLANNER_H_
