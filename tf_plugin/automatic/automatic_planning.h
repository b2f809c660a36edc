// File: automatic_planning.h
//
// STR_BUDGET: a training step is measured, planned and run under its plan, all in the process that trains.
//
//   pass         the step becomes one op (kernels/automatic_step.h); fetching the batch stays outside of it
//   first run    the sizes of all arguments are known
//     1. cache   a plan of an earlier run for this graph, these sizes and this budget                plan_cache.h
//     2. probe   else its ops are measured one by one, without running the step                       op_probe.h
//                or, where that cannot tell, the step runs once without a plan and is measured        capture_pass.h
//     3. plan    `str plan` in a process of its own                                                  planner_process.h
//     4. rewrite as with a strategy file                                                             rewrite_pass.h
//   later runs   the same plan; a batch that is larger gets a plan of its own
#ifndef STR_TF_PLUGIN_AUTOMATIC_AUTOMATIC_PLANNING_H_
#define STR_TF_PLUGIN_AUTOMATIC_AUTOMATIC_PLANNING_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "tensorflow/core/framework/function.h"
#include "tensorflow/core/graph/graph.h"
#include "tf_plugin/budget.h"
#include "tf_plugin/rewrite/rewrite_pass.h"

namespace str::automatic {

struct AutomaticOptions {
  Budget budget;
  // STR_MEMORY_LIMIT: the device stands for one with so much memory of its own. The budget is for its tensors, a share is of
  // this limit, and swapping to the host frees memory. Absent: the budget is for the whole process.
  std::optional<int64_t> device_limit_bytes;
  rewrite::RewriteOptions rewrite;
};

// Replaces the graph of a training step on STR's CPU device. `name` is for people. On an error the graph is as it was.
absl::Status PlanAutomatically(const AutomaticOptions& options, const std::string& name, const std::string& device,
                               std::unique_ptr<tensorflow::Graph>& graph);

}  // namespace str::automatic

#endif  // STR_TF_PLUGIN_AUTOMATIC_AUTOMATIC_PLANNING_H_
