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
  struct Held {
    std::string what;
    int64_t bytes = 0;
  };
  // Largest first.
  std::vector<Held> held;
};
Bottleneck FindBottleneck(const optimizer::Graph& graph, const optimizer::Program& program,
                          const optimizer::Verdict& verdict);

// STR-1001: the budget, the smallest feasible one, the node at the peak with the largest tensors there, what to try.
std::string InfeasibleText(absl::string_view strategy, int64_t budget_bytes, int64_t min_budget_bytes,
                           int64_t external_bytes, const Bottleneck& bottleneck);

// The same for strategies that cannot tell their smallest budget.
std::string InfeasibleText(absl::string_view strategy, int64_t budget_bytes);

// Adds `peak_node` and `largest_tensors`.
void AddBottleneck(const Bottleneck& bottleneck, JsonObject* json);

}  // namespace str::tools

#endif  // STR_OPTIMIZER_TOOLS_INFEASIBLE_TEXT_H_
