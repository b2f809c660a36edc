#include "strategies/testing/planned_graph.h"

#include "gtest/gtest.h"
#include "optimizer/testing/graph_builder.h"
#include "optimizer/testing/program_text.h"
#include "strategies/registry.h"

namespace str::strategies {

config::GraphFile LargeAndCheap() {
  optimizer::GraphBuilder b;
  b.Add("a", {}, {10}, 100);
  b.Add("b", {"a:0"}, {100}, 1);
  b.Add("c", {"b:0"}, {100}, 5);
  b.Add("d", {"c:0"}, {100}, 5);
  b.Add("e", {"d:0", "b:0"}, {10}, 5);
  return b.file();
}

void PlannedGraph::Load(const config::GraphFile& file) {
  graph_.emplace(*optimizer::Graph::FromFile(file));
  costs_ = optimizer::MeasuredCosts(file);
  request_.graph = &*graph_;
  request_.costs = &costs_;
}

PlanResult PlannedGraph::Plan(absl::string_view planner, int64_t budget_bytes) {
  request_.budget_bytes = budget_bytes;
  absl::StatusOr<PlanResult> result = FindPlanner(planner)->Plan(request_, nullptr, nullptr);
  EXPECT_TRUE(result.ok()) << result.status();
  return result.ok() ? *std::move(result) : PlanResult();
}

optimizer::Verdict PlannedGraph::Judge(const optimizer::Program& program) const {
  absl::StatusOr<optimizer::Verdict> verdict = optimizer::Judge(*graph_, costs_, program);
  EXPECT_TRUE(verdict.ok()) << verdict.status();
  return verdict.ok() ? *std::move(verdict) : optimizer::Verdict();
}

}  // namespace str::strategies
