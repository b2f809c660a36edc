#include "optimizer/tools/inputs.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "config/text_units.h"
#include "optimizer/importers/graph_reader.h"
#include "optimizer/simulator/program.h"
#include "optimizer/simulator/simulator.h"
#include "optimizer/tools/devices.h"

namespace str::tools {
namespace {

absl::Status NoBudget(absl::string_view option, absl::string_view text) {
  return absl::InvalidArgumentError(absl::StrCat(option, ": \"", text,
                                                 "\" leaves no memory at all; with a budget that is merely too small, "
                                                 "str plan tells the smallest that can be met"));
}

// A number without a unit that is below this, and below a hundredth of a peak that is not, is hardly meant as bytes.
constexpr int64_t kSmallestPlainBudget = int64_t{1} << 20;
constexpr int64_t kSharesOfPeak = 100;

// Whether a unit was probably forgotten.
bool LacksUnit(absl::string_view text, int64_t bytes, int64_t peak_bytes) {
  const bool is_small = bytes < kSmallestPlainBudget && bytes < peak_bytes / kSharesOfPeak;
  const absl::string_view stripped = absl::StripAsciiWhitespace(text);
  return peak_bytes >= kSmallestPlainBudget && is_small &&
         std::all_of(stripped.begin(), stripped.end(), [](char c) { return absl::ascii_isdigit(c); });
}

absl::StatusOr<int64_t> ParsePlainBudget(absl::string_view option, const std::string& text, int64_t peak_bytes,
                                         bool takes_percent) {
  absl::StatusOr<int64_t> bytes = config::ParseBytes(text);
  if (!bytes.ok()) return absl::InvalidArgumentError(absl::StrCat(option, ": ", bytes.status().message()));
  if (*bytes == 0) return NoBudget(option, text);
  if (LacksUnit(text, *bytes, peak_bytes)) {
    const std::string percent = takes_percent ? absl::StrCat(text, "% or ") : "";
    return absl::InvalidArgumentError(absl::StrCat(option, ": \"", text, "\" is ", config::FormatBytes(*bytes),
                                                   ", of a peak of ", config::FormatBytes(peak_bytes),
                                                   "; did you mean ", percent, text, "MiB? If not, write ", text, "B"));
  }
  return bytes;
}

}  // namespace

absl::StatusOr<absl::Duration> ParseCostUnit(const std::string& text) {
  if (text.empty()) return optimizer::kDefaultCostUnit;
  const absl::StatusOr<absl::Duration> unit = config::ParseDurationText(text);
  if (!unit.ok()) return absl::InvalidArgumentError(absl::StrCat("--cost-unit: ", unit.status().message()));
  if (*unit == absl::ZeroDuration()) return absl::InvalidArgumentError("--cost-unit: 0 makes every node free");
  return unit;
}

absl::StatusOr<GraphInput> ReadGraphInput(const std::string& path, const std::string& cost_unit,
                                          const std::string& device) {
  const absl::StatusOr<absl::Duration> unit = ParseCostUnit(cost_unit);
  if (!unit.ok()) return unit.status();
  absl::StatusOr<config::GraphFile> file = optimizer::ReadAnyGraph(path, *unit);
  if (!file.ok()) return file.status();
  return MakeGraphInput(*std::move(file), path, device);
}

absl::StatusOr<GraphInput> MakeGraphInput(config::GraphFile file, const std::string& source_name,
                                          const std::string& device) {
  absl::StatusOr<optimizer::Graph> graph = optimizer::Graph::FromFile(file);
  if (!graph.ok()) return absl::InvalidArgumentError(absl::StrCat(source_name, ": ", graph.status().message()));
  if (graph->program_nodes() == 0) {
    return absl::InvalidArgumentError(
        absl::StrCat(source_name, ": has no node that a plan could order, swap or recompute"));
  }
  config::DeviceFile description;
  if (!device.empty()) {
    absl::StatusOr<config::DeviceFile> found = FindDevice(device);
    if (!found.ok()) return found.status();
    description = *std::move(found);
  }
  absl::StatusOr<optimizer::Costs> costs = optimizer::FindCosts(file, device.empty() ? nullptr : &description);
  if (!costs.ok()) return absl::FailedPreconditionError(absl::StrCat(source_name, ": ", costs.status().message()));
  GraphInput input{std::move(file), *std::move(graph), *std::move(costs)};
  input.host_bytes = description.host().memory_bytes();
  input.disk_bytes = description.disk().bytes();
  optimizer::Simulator simulator(&input.graph, &input.costs);
  optimizer::Simulation baseline;
  absl::Status status =
      simulator.Run(optimizer::KeepAll(input.graph, optimizer::CapturedOrder(input.graph)), {}, &baseline);
  if (!status.ok()) return status;
  input.baseline_peak_bytes = baseline.peak_bytes;
  input.baseline_seconds = baseline.seconds;
  return input;
}

absl::StatusOr<int64_t> ParseBudgetBytes(absl::string_view option, const std::string& text, int64_t peak_bytes) {
  return ParsePlainBudget(option, text, peak_bytes, /*takes_percent=*/false);
}

absl::StatusOr<int64_t> ParseBudget(absl::string_view option, const std::string& text, int64_t peak_bytes) {
  absl::string_view number = text;
  if (!absl::ConsumeSuffix(&number, "%")) return ParsePlainBudget(option, text, peak_bytes, /*takes_percent=*/true);
  double percent = 0;
  if (!absl::SimpleAtod(number, &percent) || !(percent >= 0) || !(percent <= 1000)) {
    return absl::InvalidArgumentError(
        absl::StrCat(option, ": \"", text, "\" is no share of the peak; write it like 60%"));
  }
  const auto bytes = static_cast<int64_t>(std::floor(peak_bytes * (percent / 100)));
  if (bytes == 0) return NoBudget(option, text);
  return bytes;
}

}  // namespace str::tools
