#include "config/strategy_io.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "config/atomic_file.h"
#include "config/original_ini.h"
#include "config/strategy_changes.h"
#include "config/strategy_validator.h"
#include "config/text_proto.h"
#include "config/text_units.h"

namespace str::config {
namespace {

std::string Count(int number, absl::string_view what) {
  return absl::StrCat(number, " ", what, number == 1 ? "" : "s");
}

std::string StepTimeText(const StrategyFile& strategy) {
  std::string text = absl::StrFormat("%.4g s predicted", strategy.predicted_step_seconds());
  if (strategy.baseline_step_seconds() > 0) {
    absl::StrAppendFormat(&text, ", %+.1f %% against %.4g s with everything kept",
                          100 * (strategy.predicted_step_seconds() / strategy.baseline_step_seconds() - 1),
                          strategy.baseline_step_seconds());
  }
  return text;
}

std::string ChangesText(const StrategyFile& strategy) {
  const StrategyChanges changes = CountChanges(strategy);
  return absl::StrCat(
      Count(changes.swapped_tensors, "tensor"), " swapped (brought back ", Count(changes.swap_ins, "time"),
      changes.disk_tensors > 0 ? absl::StrCat(", to the disk ", Count(changes.disk_tensors, "time")) : "", "), ",
      Count(changes.recomputed_nodes, "node"), " recomputed");
}

std::string Header(const StrategyFile& strategy) {
  std::string text =
      "STR strategy: what TensorFlow does in one training step, in this order, so that it fits the budget.\n";
  absl::StrAppend(&text, "Graph:     ", strategy.graph_name(), ", fingerprint ", strategy.graph_fingerprint(),
                  ", TensorFlow ", strategy.tensorflow_version(), ", ", strategy.device(), "\n");
  absl::StrAppend(&text, "Budget:    ", FormatBytes(strategy.budget_bytes()), "\n");
  absl::StrAppend(&text, "Peak:      ", FormatBytes(strategy.predicted_peak_bytes()), " predicted\n");
  absl::StrAppend(&text, "Step time: ", StepTimeText(strategy), "\n");
  absl::StrAppend(&text, "Changes:   ", ChangesText(strategy), "\n");
  absl::StrAppend(&text, "Planner:   ", strategy.planner(), strategy.solver().empty() ? "" : ", solver ",
                  strategy.solver(), "\n");
  absl::StrAppend(&text, "In use while it lies at ~/.str/strategy.conf or STR_STRATEGY_FILE names it; STR_DISABLE=1 ",
                  "switches it off.\ndocs/strategy_format.md explains every field.");
  return CommentLines(text);
}

}  // namespace

absl::StatusOr<StrategyFile> ParseStrategy(absl::string_view text, absl::string_view source_name) {
  if (IsOriginalIni(text)) {
    return absl::InvalidArgumentError(absl::StrCat(source_name,
                                                   ": this is a strategy in STR's original INI form ([solution] "
                                                   "strategy=...); convert it with str import, or make a new one "
                                                   "with str plan from a captured graph"));
  }
  StrategyFile strategy;
  if (absl::Status parsed = ParseTextProto(text, FileKind::kStrategy, source_name, &strategy); !parsed.ok()) {
    return parsed;
  }
  if (absl::Status valid = ValidateStrategy(strategy); !valid.ok()) {
    return absl::InvalidArgumentError(absl::StrCat(source_name, ": ", valid.message()));
  }
  strategy.clear_step_count();
  return strategy;
}

absl::StatusOr<StrategyFile> ReadStrategy(const std::string& path) {
  const absl::StatusOr<std::string> text = ReadFile(path);
  if (!text.ok()) return text.status();
  return ParseStrategy(*text, path);
}

absl::Status WriteStrategy(const StrategyFile& strategy, const std::string& path) {
  if (absl::Status valid = ValidateStrategy(strategy); !valid.ok()) {
    return absl::InvalidArgumentError(absl::StrCat("strategy not written to ", path, ": ", valid.message()));
  }
  return WriteFileAtomically(path, StrategyText(strategy));
}

std::string StrategyText(const StrategyFile& strategy) {
  StrategyFile counted = strategy;
  counted.set_step_count(strategy.step_size());
  return absl::StrCat(Header(strategy), PrintTextProto(counted));
}

}  // namespace str::config
