#include "strategies/registry.h"

#include <map>
#include <string>
#include <utility>

#include "absl/log/check.h"

namespace str::strategies {
namespace {

using PlannerMap = std::map<std::string, std::unique_ptr<Planner>, std::less<>>;

// Never destroyed, so that planners outlive every user.
PlannerMap& Planners() {
  static PlannerMap* const planners = new PlannerMap;
  return *planners;
}

}  // namespace

PlannerRegistration::PlannerRegistration(std::unique_ptr<Planner> planner) {
  const std::string name(planner->name());
  CHECK(Planners().emplace(name, std::move(planner)).second) << "two planners are named " << name;
}

std::vector<const Planner*> AllPlanners() {
  std::vector<const Planner*> planners;
  for (const auto& [name, planner] : Planners()) planners.push_back(planner.get());
  return planners;
}

const Planner* FindPlanner(absl::string_view name) {
  const auto found = Planners().find(name);
  return found == Planners().end() ? nullptr : found->second.get();
}

}  // namespace str::strategies
