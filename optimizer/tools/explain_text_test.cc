#include "optimizer/tools/explain_text.h"

#include <algorithm>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "optimizer/simulator/judge.h"
#include "optimizer/testing/graph_builder.h"
#include "optimizer/testing/program_text.h"
#include "optimizer/testing/training_graph.h"
#include "strategies/registry.h"

namespace str::tools {
namespace {

using optimizer::Explanation;
using optimizer::Graph;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(ExplainTextTest, ShowsWhatMatters) {
  optimizer::GraphBuilder b(/*external_bytes=*/2048);
  b.Add("big", {}, {4096}, 1000000);
  b.AddView("view", "big:0", 4096);
  b.Add("tiny", {"view:0"}, {1}, 2000000);
  b.Add("end", {"tiny:0", "view:0"}, {1}, 3000000);
  const Graph graph = b.Build();
  const absl::StatusOr<Explanation> explanation =
      optimizer::Explain(graph, optimizer::MeasuredCosts(b.file()),
                         optimizer::ParseProgram(graph, "big view tiny again:big again:view end"), 10000);
  ASSERT_TRUE(explanation.ok()) << explanation.status();
  EXPECT_THAT(PeakText(graph, *explanation), AllOf(HasSubstr("2.0 KiB  variables"), HasSubstr("4.0 KiB  big:0")));
  EXPECT_THAT(TensorTable(graph, *explanation, /*all=*/false),
              AllOf(HasSubstr("4.0 KiB     1.0 ms     7.0 ms     1.0 ms  recomputed               big:0\n"),
                    HasSubstr("recomputing costs 1.0 ms"), HasSubstr("in 2 more tensors"), Not(HasSubstr("tiny:0"))));
  EXPECT_THAT(TensorTable(graph, *explanation, /*all=*/true),
              AllOf(HasSubstr("tiny:0"), Not(HasSubstr("more tensors"))));
  const optimizer::TensorId view = graph.node(graph.FindNode("view")).first_tensor;
  EXPECT_THAT(TensorText(graph, explanation->tensors[0], view),
              AllOf(HasSubstr("view:0\n"), HasSubstr("shares the buffer of"), HasSubstr("big:0\n")));
  EXPECT_THAT(
      ExplanationJson(graph, *explanation).Text(),
      AllOf(HasSubstr(R"("tensor": "big:0")"), HasSubstr(R"("reruns": 1)"), HasSubstr(R"("costs_seconds": 0.001)")));
}

TEST(ExplainTextTest, EveryPlanCanBeExplained) {
  const strategies::Planner* const planner = strategies::FindPlanner("str");
  ASSERT_NE(planner, nullptr);
  int decided = 0;
  for (uint64_t seed = 1; seed <= 12; ++seed) {
    SCOPED_TRACE(seed);
    const config::GraphFile file = optimizer::RandomTrainingGraph({.seed = seed, .layers = 6});
    const absl::StatusOr<Graph> graph = Graph::FromFile(file);
    ASSERT_TRUE(graph.ok()) << graph.status();
    const optimizer::Costs costs = optimizer::MeasuredCosts(file);
    const absl::StatusOr<optimizer::Verdict> kept =
        optimizer::Judge(*graph, costs, optimizer::KeepAll(*graph, optimizer::CapturedOrder(*graph)));
    ASSERT_TRUE(kept.ok()) << kept.status();
    strategies::PlanRequest request;
    request.graph = &*graph;
    request.costs = &costs;
    request.budget_bytes = kept->peak_bytes() * 3 / 4;
    request.time_limit = absl::Seconds(1);
    const absl::StatusOr<strategies::PlanResult> plan = planner->Plan(request, nullptr, nullptr);
    ASSERT_TRUE(plan.ok()) << plan.status();
    if (plan->program.empty()) continue;
    const absl::StatusOr<Explanation> explanation =
        optimizer::Explain(*graph, costs, plan->program, request.budget_bytes);
    ASSERT_TRUE(explanation.ok()) << explanation.status();
    int swaps = 0;
    for (const optimizer::TensorFate& fate : explanation->tensors) {
      swaps += fate.swaps;
      decided += fate.Decided();
      EXPECT_FALSE(fate.reason.empty());
      EXPECT_LE(fate.made_seconds, fate.last_use_seconds);
      EXPECT_GE(fate.waiting_seconds, 0);
    }
    EXPECT_EQ(swaps, explanation->verdict.counts.swapped_tensors);
    const std::string table = TensorTable(*graph, *explanation, /*all=*/true);
    EXPECT_EQ(std::count(table.begin(), table.end(), '\n'), 1 + 2 * explanation->tensors.size());
  }
  EXPECT_GT(decided, 12) << "plans without decisions show nothing";
}

}  // namespace
}  // namespace str::tools
