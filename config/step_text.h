// How messages name a step of a strategy.
#ifndef STR_CONFIG_STEP_TEXT_H_
#define STR_CONFIG_STEP_TEXT_H_

#include <string>

#include "absl/strings/string_view.h"
#include "config/strategy.pb.h"

namespace str::config {

// The node or tensor that the step acts on; "" without an action.
absl::string_view StepTarget(const Step& step);

// `step 12 (swap_in "conv1/Conv2D:0")`. `index` counts from 0, the text from 1.
std::string StepText(const StrategyFile& strategy, int index);

}  // namespace str::config

#endif  // STR_CONFIG_STEP_TEXT_H_
