#include "config/strategy_validator.h"

#include <cmath>
#include <cstdint>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "config/fingerprint.h"
#include "config/instances.h"
#include "config/step_text.h"

namespace str::config {
namespace {

constexpr int kFormatVersion = 1;

absl::Status Invalid(absl::string_view message) { return absl::InvalidArgumentError(message); }

absl::Status CheckFileFields(const StrategyFile& strategy) {
  if (strategy.format_version() != kFormatVersion) {
    return Invalid(absl::StrCat("format_version is ", strategy.format_version(), "; this version of STR reads ",
                                kFormatVersion, ": plan again with str plan"));
  }
  if (!IsFingerprint(strategy.graph_fingerprint())) {
    return Invalid(absl::StrCat("graph_fingerprint \"", strategy.graph_fingerprint(), "\" is not 16 hex digits"));
  }
  const std::pair<absl::string_view, int64_t> sizes[] = {
      {"budget_bytes", strategy.budget_bytes()},
      {"predicted_peak_bytes", strategy.predicted_peak_bytes()},
      {"arena_bytes", strategy.arena_bytes()},
      {"external_bytes", strategy.external_bytes()},
  };
  for (const auto& [name, value] : sizes) {
    if (value < 0) return Invalid(absl::StrCat(name, " is negative: ", value));
  }
  const std::pair<absl::string_view, double> times[] = {
      {"predicted_step_seconds", strategy.predicted_step_seconds()},
      {"baseline_step_seconds", strategy.baseline_step_seconds()},
      {"bound_seconds", strategy.bound_seconds()},
  };
  for (const auto& [name, value] : times) {
    if (!std::isfinite(value) || value < 0) return Invalid(absl::StrCat(name, " is not a time: ", value));
  }
  if (strategy.step().empty()) return Invalid("the strategy has no steps; is the file cut off?");
  if (strategy.step_count() != 0 && strategy.step_count() != strategy.step_size()) {
    return Invalid(absl::StrCat("step_count is ", strategy.step_count(), ", but there are ", strategy.step_size(),
                                " steps: the file is cut off, or was changed by hand; plan again with str plan"));
  }
  return absl::OkStatus();
}

absl::Status CheckPlaces(const Step& step, int64_t arena_bytes) {
  for (const Place& place : step.place()) {
    const std::string text = absl::StrCat("place of ", place.bytes(), " bytes at offset ", place.offset());
    if (place.bytes() <= 0) return Invalid(absl::StrCat(text, ": bytes must be positive"));
    if (place.offset() < 0) return Invalid(absl::StrCat(text, ": the offset is negative"));
    if (place.bytes() > arena_bytes || place.offset() > arena_bytes - place.bytes()) {
      return Invalid(absl::StrCat(text, " ends behind the arena of ", arena_bytes, " bytes"));
    }
  }
  return absl::OkStatus();
}

absl::Status CheckTier(const Step& step) {
  if (!step.has_swap_out()) return Invalid("has a tier; only a swap_out has one");
  if (step.tier() == TIER_DISK) return absl::OkStatus();
  return Invalid(absl::StrCat("tier ", step.tier(), " is not known to this version of STR"));
}

}  // namespace

absl::Status ValidateStrategy(const StrategyFile& strategy) {
  if (absl::Status fields = CheckFileFields(strategy); !fields.ok()) return fields;
  Instances instances;
  for (int i = 0; i < strategy.step_size(); ++i) {
    const Step& step = strategy.step(i);
    absl::Status status = instances.Apply(step);
    if (status.ok() && !step.has_run() && !step.output().empty()) {
      status = Invalid("lists outputs; only a run has them");
    }
    if (status.ok() && step.tier() != TIER_HOST) status = CheckTier(step);
    if (status.ok()) status = CheckPlaces(step, strategy.arena_bytes());
    if (!status.ok()) return Invalid(absl::StrCat(StepText(strategy, i), ": ", status.message()));
  }
  return absl::OkStatus();
}

}  // namespace str::config
