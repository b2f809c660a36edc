// What --host-limit and --disk-limit ask for, and what a device description says where they are silent.
#ifndef STR_OPTIMIZER_TOOLS_TIER_LIMITS_H_
#define STR_OPTIMIZER_TOOLS_TIER_LIMITS_H_

#include <string>

#include "absl/status/status.h"
#include "optimizer/tools/inputs.h"
#include "strategies/planner.h"

namespace str::tools {

// Empty: not given. Errors name the option and what to do.
absl::Status SetTierLimits(const std::string& host_limit, const std::string& disk_limit, const GraphInput& input,
                           strategies::PlanRequest* request);

}  // namespace str::tools

#endif  // STR_OPTIMIZER_TOOLS_TIER_LIMITS_H_
