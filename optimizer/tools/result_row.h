// The figures of one plan or simulation: as JSON, the same fields for all commands, and as lines for people.
#ifndef STR_OPTIMIZER_TOOLS_RESULT_ROW_H_
#define STR_OPTIMIZER_TOOLS_RESULT_ROW_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "config/strategy.pb.h"
#include "optimizer/placement/fit.h"
#include "optimizer/tools/inputs.h"
#include "optimizer/tools/json.h"

namespace str::tools {

struct ResultRow {
  std::string strategy;
  // "optimal", "feasible", "infeasible", "limit".
  std::string status;
  int64_t budget_bytes = 0;
  double baseline_seconds = 0;
  // By the judge; PERCENT of --budget is a share of it.
  int64_t baseline_peak_bytes = 0;
  // What the capture saw in training, in TensorFlow's own order of execution.
  std::optional<int64_t> measured_peak_bytes;
  // As typed; empty: only the bytes are known.
  std::string budget_text;
  int nodes = 0;
  // What follows does not apply without a program.
  std::optional<int64_t> peak_bytes, host_peak_bytes, disk_peak_bytes, fit_bytes, swapped_bytes;
  // What TensorFlow's own allocator would need, where buffers cannot be placed (optimizer/placement/bfc_replay.h).
  std::optional<int64_t> bfc_peak_bytes;
  std::optional<int> tensors_decided;
  // config/strategy_changes.h says what they count.
  std::optional<int> recomputed_nodes, swapped_tensors;
  // Of the recomputed nodes: they only restore a view, for example of what was swapped in.
  std::optional<int> recomputed_views;
  std::optional<double> step_seconds;
  std::optional<double> bound_seconds, any_order_bound_seconds, plan_seconds;
  // Of plan_seconds what the planner itself took, without the proof of a bound.
  std::optional<double> planner_seconds;
  // Whether the bound is about plans that may copy tensors to the host and back.
  bool bound_copies = true;
  std::optional<int64_t> min_budget_bytes, seed;
  std::optional<std::string> solver;

  ResultRow(const GraphInput& input, absl::string_view strategy, absl::string_view status, int64_t budget_bytes);
  // `strategy` is the file of the program that `fit` is about, for this graph.
  void SetProgram(const optimizer::Fit& fit, const config::StrategyFile& strategy, const optimizer::Graph& graph);
  std::optional<double> Overhead() const;
  std::optional<double> Gap() const;
  // "order" or "all orders": which plans the bound is about.
  std::optional<std::string> BoundCovers() const;

  JsonObject Json() const;
  // Ends with a newline.
  std::string Text() const;
};

// Writes to the file, or to stdout for "-".
absl::Status WriteOut(const std::string& contents, const std::string& file);

}  // namespace str::tools

#endif  // STR_OPTIMIZER_TOOLS_RESULT_ROW_H_
