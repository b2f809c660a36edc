// Plans one graph and writes its strategy: what `str plan` does with a graph file.
#ifndef STR_OPTIMIZER_TOOLS_PLAN_GRAPH_H_
#define STR_OPTIMIZER_TOOLS_PLAN_GRAPH_H_

#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "optimizer/tools/json.h"
#include "optimizer/tools/plan_format.h"
#include "optimizer/tools/result_row.h"

namespace str::tools {

// As typed.
struct PlanOptions {
  std::string graph, budget, strategy = "str", output, json, time_limit, gap, solver, device, host_limit, disk_limit,
                             cost_unit, format = kStrFormat;
  uint64_t seed = 0;
  int threads = 2;
  std::vector<std::string> pins;
};

struct PlanOutcome {
  ResultRow row;
  std::string fingerprint;
  // kExitDone: the strategy was written.
  int exit_code = 0;
  // The row, and for an infeasible budget where it fails.
  JsonObject json;
};

// Plans the graph of file `graph` and writes the strategy to `output`; nothing if no plan fits. Progress and what is
// noteworthy go to stderr, each line of progress after `prefix`.
absl::StatusOr<PlanOutcome> PlanGraph(const PlanOptions& options, const std::string& graph, const std::string& output,
                                      const std::string& prefix);

// "/home/me/.str", where training looks for strategies. FailedPrecondition if HOME is not set.
absl::StatusOr<std::string> HomeStrategies();

}  // namespace str::tools

#endif  // STR_OPTIMIZER_TOOLS_PLAN_GRAPH_H_
