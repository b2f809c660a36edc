// What is said when no plan fits the budget.
#ifndef STR_OPTIMIZER_TOOLS_INFEASIBLE_TEXT_H_
#define STR_OPTIMIZER_TOOLS_INFEASIBLE_TEXT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "optimizer/graph/graph.h"
#include "optimizer/simulator/judge.h"
#include "optimizer/simulator/program.h"
#include "optimizer/tools/json.h"

namespace str::tools {

// Where the plan of least memory peaks.
struct Bottleneck {
  std::string node;
  std::string op;
  struct Part {
    std::string what;
    int64_t bytes = 0;
  };
  // The tensors that are held there, largest first; at most a few.
  std::vector<Part> largest_tensors;
  // All that is in use there, the largest tensors included. Adds up to the smallest feasible budget.
  std::vector<Part> parts;
};
// `program` needs `min_budget_bytes`, which is at least its peak: buffers that are placed leave gaps.
Bottleneck FindBottleneck(const optimizer::Graph& graph, const optimizer::Program& program,
                          const optimizer::Verdict& verdict, int64_t min_budget_bytes);

// STR-1001: the budget, the smallest feasible one, the node at the peak with all that is in use there, what to try.
std::string InfeasibleText(absl::string_view strategy, int64_t budget_bytes, int64_t min_budget_bytes,
                           const Bottleneck& bottleneck);

// The same for strategies that cannot tell their smallest budget.
std::string InfeasibleText(absl::string_view strategy, int64_t budget_bytes);

// Adds `peak_node`, `largest_tensors` and `peak_parts`.
void AddBottleneck(const Bottleneck& bottleneck, JsonObject* json);

}  // namespace str::tools

#endif  // STR_OPTIMIZER_TOOLS_INFEASIBLE_TEXT_H_
