// For tests of planners: one graph, what its planners are asked, and the judge's verdict on what they answer.
#ifndef STR_STRATEGIES_TESTING_PLANNED_GRAPH_H_
#define STR_STRATEGIES_TESTING_PLANNED_GRAPH_H_

#include <cstdint>
#include <optional>

#include "absl/strings/string_view.h"
#include "config/graph.pb.h"
#include "optimizer/cost/costs.h"
#include "optimizer/graph/graph.h"
#include "optimizer/simulator/judge.h"
#include "strategies/planner.h"

namespace str::strategies {

// a, b, c, d in a row and e of d and b; b is large and cheap. 310 bytes hold everything, 250 if b is made again for e.
config::GraphFile LargeAndCheap();

// A base of test fixtures. Whatever goes wrong fails the test.
class PlannedGraph {
 protected:
  void Load(const config::GraphFile& file);
  PlanResult Plan(absl::string_view planner, int64_t budget_bytes);
  optimizer::Verdict Judge(const optimizer::Program& program) const;

  std::optional<optimizer::Graph> graph_;
  optimizer::Costs costs_;
  // Of the graph and its costs; the rest is for tests to set.
  PlanRequest request_;
};

}  // namespace str::strategies

#endif  // STR_STRATEGIES_TESTING_PLANNED_GRAPH_H_
