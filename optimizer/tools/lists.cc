#include "optimizer/tools/lists.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "config/text_units.h"
#include "strategies/registry.h"

namespace str::tools {

std::vector<std::string> SplitList(const std::string& text) {
  std::vector<std::string> entries;
  for (const absl::string_view entry : absl::StrSplit(text, ',')) {
    const absl::string_view stripped = absl::StripAsciiWhitespace(entry);
    if (!stripped.empty()) entries.emplace_back(stripped);
  }
  return entries;
}

absl::StatusOr<const strategies::Planner*> FindStrategy(absl::string_view option, absl::string_view name) {
  const strategies::Planner* planner = strategies::FindPlanner(name);
  if (planner != nullptr) return planner;
  const auto append = [](std::string* out, const strategies::Planner* known) { out->append(known->name()); };
  return absl::InvalidArgumentError(absl::StrCat(option, ": there is no \"", name, "\"; there are ",
                                                 absl::StrJoin(strategies::AllPlanners(), ", ", append)));
}

absl::StatusOr<std::vector<const strategies::Planner*>> ParseStrategies(absl::string_view option,
                                                                        const std::string& text) {
  if (text == "all") return strategies::AllPlanners();
  std::vector<const strategies::Planner*> planners;
  for (const std::string& name : SplitList(text)) {
    const absl::StatusOr<const strategies::Planner*> planner = FindStrategy(option, name);
    if (!planner.ok()) return planner.status();
    if (std::find(planners.begin(), planners.end(), *planner) == planners.end()) planners.push_back(*planner);
  }
  if (planners.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat(option, ": no strategy is named; write it like str,keep-all or all"));
  }
  return planners;
}

absl::StatusOr<absl::Duration> ParseTimeLimit(const std::string& text) {
  const absl::StatusOr<absl::Duration> limit = config::ParseDurationText(text);
  if (!limit.ok()) return absl::InvalidArgumentError(absl::StrCat("--time-limit: ", limit.status().message()));
  return limit;
}

}  // namespace str::tools
