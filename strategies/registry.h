// All planners that are linked in, by name. A planner registers itself with one line in its .cc file:
//   const PlannerRegistration kRegistration(std::make_unique<KeepAll>());
// and its cc_library sets alwayslink.
#ifndef STR_STRATEGIES_REGISTRY_H_
#define STR_STRATEGIES_REGISTRY_H_

#include <memory>
#include <vector>

#include "absl/strings/string_view.h"
#include "strategies/planner.h"

namespace str::strategies {

class PlannerRegistration {
 public:
  // Two planners of one name are a bug and end the process.
  explicit PlannerRegistration(std::unique_ptr<Planner> planner);
};

// Sorted by name.
std::vector<const Planner*> AllPlanners();

// Null if there is none of that name.
const Planner* FindPlanner(absl::string_view name);

}  // namespace str::strategies

#endif  // STR_STRATEGIES_REGISTRY_H_
