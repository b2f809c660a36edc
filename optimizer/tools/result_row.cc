#include "optimizer/tools/result_row.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "config/atomic_file.h"
#include "config/strategy_changes.h"
#include "config/text_units.h"
#include "optimizer/simulator/program.h"

namespace str::tools {
namespace {

// Two bounds that differ by less, as a share, are one: sums and solvers are not more exact.
constexpr double kSameBound = 1e-6;

void Line(std::string* text, absl::string_view label, absl::string_view value) {
  absl::StrAppendFormat(text, "%-22s %s\n", label, value);
}

}  // namespace

ResultRow::ResultRow(const GraphInput& input, absl::string_view strategy_name, absl::string_view status_name,
                     int64_t budget)
    : strategy(strategy_name),
      status(status_name),
      budget_bytes(budget),
      baseline_seconds(input.baseline_seconds),
      baseline_peak_bytes(input.baseline_peak_bytes),
      nodes(input.graph.node_count()) {
  if (input.file.measured_peak_bytes() > 0) measured_peak_bytes = input.file.measured_peak_bytes();
}

void ResultRow::SetProgram(const optimizer::Fit& fit, const config::StrategyFile& file, const optimizer::Graph& graph) {
  const optimizer::Verdict& verdict = fit.verdict;
  peak_bytes = verdict.peak_bytes();
  host_peak_bytes = verdict.simulation.host_peak_bytes;
  disk_peak_bytes = verdict.simulation.disk_peak_bytes;
  fit_bytes = fit.fit_bytes;
  step_seconds = verdict.seconds();
  tensors_decided = verdict.counts.tensors_decided;
  swapped_bytes = verdict.counts.swapped_bytes;
  const config::StrategyChanges changes = config::CountChanges(file);
  swapped_tensors = changes.swapped_tensors;
  recomputed_nodes = changes.recomputed_nodes;
  recomputed_views = static_cast<int>(std::count_if(file.step().begin(), file.step().end(), [&](const auto& step) {
    return step.has_rerun() && optimizer::IsView(graph, graph.FindNode(step.rerun()));
  }));
}

// Against everything kept. Sums of the same times in another order differ in the last digits: that is no difference.
std::optional<double> ResultRow::Overhead() const {
  if (!step_seconds.has_value() || baseline_seconds <= 0) return std::nullopt;
  const double overhead = *step_seconds / baseline_seconds - 1;
  return std::abs(overhead) < 1e-9 ? 0 : overhead;
}

std::optional<double> ResultRow::Gap() const {
  if (!step_seconds.has_value() || !bound_seconds.has_value()) return std::nullopt;
  return *step_seconds / *bound_seconds - 1;
}

std::optional<std::string> ResultRow::BoundCovers() const {
  if (!bound_seconds.has_value()) return std::nullopt;
  const bool covers_all =
      any_order_bound_seconds.has_value() && *any_order_bound_seconds >= *bound_seconds * (1 - kSameBound);
  return covers_all ? "all orders" : "order";
}

JsonObject ResultRow::Json() const {
  const std::optional<double> overhead = Overhead();
  const std::optional<double> gap = Gap();
  JsonObject json;
  json.Add("strategy", strategy);
  json.Add("status", status);
  json.Add("budget_bytes", budget_bytes);
  json.Add("peak_bytes", peak_bytes);
  json.Add("host_peak_bytes", host_peak_bytes);
  json.Add("baseline_seconds", baseline_seconds);
  json.Add("step_seconds", step_seconds);
  json.Add("overhead", overhead);
  json.Add("bound_seconds", bound_seconds);
  json.Add("gap", gap);
  json.Add("bound_covers", BoundCovers());
  json.Add("any_order_bound_seconds", any_order_bound_seconds);
  json.Add("plan_seconds", plan_seconds);
  json.Add("nodes", nodes);
  json.Add("tensors_decided", tensors_decided);
  json.Add("swapped_bytes", swapped_bytes);
  json.Add("recomputed_nodes", recomputed_nodes);
  json.Add("min_budget_bytes", min_budget_bytes);
  json.Add("solver", solver);
  json.Add("seed", seed);
  json.Add("baseline_peak_bytes", baseline_peak_bytes);
  json.Add("fit_bytes", fit_bytes);
  json.Add("swapped_tensors", swapped_tensors);
  json.Add("planner_seconds", planner_seconds);
  json.Add("bfc_peak_bytes", bfc_peak_bytes);
  json.Add("disk_peak_bytes", disk_peak_bytes);
  json.Add("measured_peak_bytes", measured_peak_bytes);
  json.Add("recomputed_views", recomputed_views);
  return json;
}

std::string ResultRow::Text() const {
  std::string text;
  Line(&text, "strategy", absl::StrCat(strategy, " (", status, ")"));
  const bool is_share = absl::EndsWith(budget_text, "%");
  Line(&text, "budget",
       absl::StrCat(config::FormatBytes(budget_bytes), is_share ? ", " : "", is_share ? budget_text : "",
                    is_share ? " of the peak with everything kept" : ""));
  if (peak_bytes.has_value()) {
    Line(&text, "peak", config::FormatBytes(*peak_bytes));
    Line(&text, "with buffers placed", config::FormatBytes(*fit_bytes));
  }
  if (bfc_peak_bytes.has_value()) Line(&text, "in a BFC allocator", config::FormatBytes(*bfc_peak_bytes));
  Line(&text, "peak, everything kept",
       absl::StrCat(config::FormatBytes(baseline_peak_bytes),
                    measured_peak_bytes.has_value()
                        ? absl::StrCat("; measured in training: ", config::FormatBytes(*measured_peak_bytes))
                        : ""));
  if (step_seconds.has_value()) {
    Line(&text, "step",
         absl::StrFormat("%.4f s, %+.2f %% against %.4f s with everything kept", *step_seconds,
                         100 * Overhead().value_or(0), baseline_seconds));
    Line(&text, "swapped",
         absl::StrCat(*swapped_tensors, " tensors, ", config::FormatBytes(*swapped_bytes), "; host memory ",
                      config::FormatBytes(*host_peak_bytes),
                      *disk_peak_bytes > 0 ? absl::StrCat("; disk ", config::FormatBytes(*disk_peak_bytes)) : ""));
    Line(&text, "recomputed",
         absl::StrCat(*recomputed_nodes, " nodes",
                      *recomputed_views > 0 ? absl::StrCat(", of which ", *recomputed_views, " only views") : ""));
  }
  if (const std::optional<double> gap = Gap(); gap.has_value()) {
    const std::string copies = bound_copies ? "" : " without copies";
    const bool covers_all = BoundCovers() == "all orders";
    Line(&text, "bound",
         absl::StrFormat("%.4f s: no plan in %s%s is more than %.3f %% faster", *bound_seconds,
                         covers_all ? "any order" : "this order", copies, 100 * *gap));
    if (!covers_all && any_order_bound_seconds.has_value()) {
      Line(&text, "bound for all orders",
           absl::StrFormat("%.4f s: no plan in any order%s is more than %.3f %% faster", *any_order_bound_seconds,
                           copies, 100 * (*step_seconds / *any_order_bound_seconds - 1)));
    }
  }
  if (min_budget_bytes.has_value()) Line(&text, "smallest budget", config::FormatBytes(*min_budget_bytes));
  if (plan_seconds.has_value()) Line(&text, "planned in", absl::StrFormat("%.2f s", *plan_seconds));
  return text;
}

absl::Status WriteOut(const std::string& contents, const std::string& file) {
  if (file != "-") return config::WriteFileAtomically(file, contents);
  std::fwrite(contents.data(), 1, contents.size(), stdout);
  return absl::OkStatus();
}

}  // namespace str::tools
