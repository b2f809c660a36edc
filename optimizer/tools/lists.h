// Options that take several values, separated by commas, and what sweeps take besides.
#ifndef STR_OPTIMIZER_TOOLS_LISTS_H_
#define STR_OPTIMIZER_TOOLS_LISTS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "strategies/planner.h"

namespace str::tools {

// Without blanks around the entries and without empty ones.
std::vector<std::string> SplitList(const std::string& text);

// `option`, such as "--strategy", stands in errors, which say which there are.
absl::StatusOr<const strategies::Planner*> FindStrategy(absl::string_view option, absl::string_view name);

// "all", or names; each once, in the order given.
absl::StatusOr<std::vector<const strategies::Planner*>> ParseStrategies(absl::string_view option,
                                                                        const std::string& text);

// --time-limit.
absl::StatusOr<absl::Duration> ParseTimeLimit(const std::string& text);

}  // namespace str::tools

#endif  // STR_OPTIMIZER_TOOLS_LISTS_H_
