// Reads what commands take: a graph with its costs, budgets.
#ifndef STR_OPTIMIZER_TOOLS_INPUTS_H_
#define STR_OPTIMIZER_TOOLS_INPUTS_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "config/graph.pb.h"
#include "optimizer/cost/costs.h"
#include "optimizer/graph/graph.h"

namespace str::tools {

struct GraphInput {
  config::GraphFile file;
  optimizer::Graph graph;
  optimizer::Costs costs;
  // With everything kept, in the order in which the graph was captured.
  int64_t baseline_peak_bytes = 0;
  double baseline_seconds = 0;
  // What the device description says of where swapped tensors can go; 0: nothing.
  int64_t host_bytes = 0;
  int64_t disk_bytes = 0;
};

// What a cost of 1 takes in graphs that give costs without a unit; empty: the default.
absl::StatusOr<absl::Duration> ParseCostUnit(const std::string& text);

// A graph in any format that optimizer/importers knows. `cost_unit` is what --cost-unit says, `device` what --device
// says; empty: none.
absl::StatusOr<GraphInput> ReadGraphInput(const std::string& path, const std::string& cost_unit,
                                          const std::string& device);

// The same for a graph that was read already; `source_name` stands for its file in messages.
absl::StatusOr<GraphInput> MakeGraphInput(config::GraphFile file, const std::string& source_name,
                                          const std::string& device);

// "6GiB" or "500000000", more than 0. `option` ("--budget") is for messages. `peak_bytes` is what the step takes with
// everything kept: of a large one, a small number without a unit is refused ("60" is rarely meant to be 60 bytes),
// while toy graphs may have budgets of a few bytes.
absl::StatusOr<int64_t> ParseBudgetBytes(absl::string_view option, const std::string& text, int64_t peak_bytes);

// The same, or "60%" of `peak_bytes`.
absl::StatusOr<int64_t> ParseBudget(absl::string_view option, const std::string& text, int64_t peak_bytes);

}  // namespace str::tools

#endif  // STR_OPTIMIZER_TOOLS_INPUTS_H_
