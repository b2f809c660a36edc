#include "config/step_text.h"

#include "absl/strings/str_cat.h"

namespace str::config {
namespace {

absl::string_view ActionName(const Step& step) {
  switch (step.action_case()) {
    case Step::kRun:
      return "run";
    case Step::kRerun:
      return "rerun";
    case Step::kSwapOut:
      return "swap_out";
    case Step::kSwapOutWait:
      return "swap_out_wait";
    case Step::kSwapIn:
      return "swap_in";
    case Step::ACTION_NOT_SET:
      break;
  }
  return "";
}

}  // namespace

absl::string_view StepTarget(const Step& step) {
  switch (step.action_case()) {
    case Step::kRun:
      return step.run();
    case Step::kRerun:
      return step.rerun();
    case Step::kSwapOut:
      return step.swap_out();
    case Step::kSwapOutWait:
      return step.swap_out_wait();
    case Step::kSwapIn:
      return step.swap_in();
    case Step::ACTION_NOT_SET:
      break;
  }
  return "";
}

std::string StepText(const StrategyFile& strategy, int index) {
  const Step& step = strategy.step(index);
  if (step.action_case() == Step::ACTION_NOT_SET) return absl::StrCat("step ", index + 1);
  return absl::StrCat("step ", index + 1, " (", ActionName(step), " \"", StepTarget(step), "\")");
}

}  // namespace str::config
