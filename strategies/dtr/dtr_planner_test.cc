// The planner on graphs, beyond what planner_contract_test.cc asks of every planner.
#include <optional>
#include <set>

#include "absl/time/time.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "optimizer/importers/graph_reader.h"
#include "optimizer/simulator/judge.h"
#include "optimizer/testing/graph_builder.h"
#include "optimizer/testing/program_text.h"
#include "optimizer/testing/shared_data.h"
#include "optimizer/testing/training_graph.h"
#include "strategies/dtr/graph_trace.h"
#include "strategies/registry.h"
#include "strategies/testing/planned_graph.h"

namespace str::dtr {
namespace {

using strategies::PlanResult;
using strategies::PlanStatus;

class DtrPlannerTest : public ::testing::Test, protected strategies::PlannedGraph {
 protected:
  void Load(const config::GraphFile& file) {
    PlannedGraph::Load(file);
    request_.placed = !file.tensorflow_version().empty();
  }

  PlanResult Plan(int64_t budget_bytes) { return PlannedGraph::Plan("dtr", budget_bytes); }

  optimizer::Program KeepAll() { return optimizer::KeepAll(*graph_, optimizer::CapturedOrder(*graph_)); }
};

// A forward chain of 100 bytes each, and a backward one that takes it from the end.
config::GraphFile Chain() {
  optimizer::GraphBuilder b;
  b.AddArgument("x", 100);
  b.Add("f1", {"x:0"}, {100}, 10);
  b.Add("f2", {"f1:0"}, {100}, 10);
  b.Add("f3", {"f2:0"}, {100}, 10);
  b.Add("f4", {"f3:0"}, {100}, 10);
  b.Add("g4", {"f4:0", "f3:0"}, {100}, 10);
  b.Add("g3", {"g4:0", "f2:0"}, {100}, 10);
  b.Add("g2", {"g3:0", "f1:0"}, {100}, 10);
  b.AddResult("r", "g2:0");
  return b.file();
}

TEST_F(DtrPlannerTest, RecomputesWhatDoesNotFit) {
  Load(Chain());
  const PlanResult all = Plan(500);
  ASSERT_EQ(all.status, PlanStatus::kFeasible);
  EXPECT_EQ(all.program, KeepAll());
  const PlanResult less = Plan(499);
  ASSERT_EQ(less.status, PlanStatus::kFeasible);
  EXPECT_LE(Judge(less.program).peak_bytes(), 499);
  EXPECT_GT(Judge(less.program).seconds(), Judge(all.program).seconds());
  // g4 takes f4 and f3 and makes a third; g3 does with less.
  EXPECT_EQ(less.min_budget_bytes, 300);
}

TEST_F(DtrPlannerTest, NeverRunsAgainWhatMustNotOrWhatIsPinned) {
  config::GraphFile file = Chain();
  for (config::Node& node : *file.mutable_node()) {
    if (node.name() == "f1") node.set_recompute(config::RECOMPUTE_RANDOM);
  }
  Load(file);
  request_.pins.assign(graph_->tensor_count(), strategies::Pin::kFree);
  request_.pins[graph_->node(graph_->FindNode("f2")).first_tensor] = strategies::Pin::kKeep;
  const PlanResult result = Plan(1);
  ASSERT_FALSE(result.least_memory_program.empty());
  for (const optimizer::Step& step : result.least_memory_program) {
    if (step.action != optimizer::Action::kRerun) continue;
    EXPECT_NE(graph_->name(step.id), "f1");
    EXPECT_NE(graph_->name(step.id), "f2");
  }
  EXPECT_EQ(result.min_budget_bytes, 500);
}

TEST_F(DtrPlannerTest, WhatMayNotRunAgainIsGivenUpWhenNothingCanNeedIt) {
  config::GraphFile file = Chain();
  for (config::Node& node : *file.mutable_node()) {
    if (node.name()[0] == 'g') node.set_recompute(config::RECOMPUTE_NOT_WANTED);
  }
  Load(file);
  const absl::StatusOr<GraphTrace> trace = TraceGraph(request_);
  ASSERT_TRUE(trace.ok()) << trace.status();
  std::multiset<int> kinds;
  for (const TraceEvent& event : trace->trace.events) kinds.insert(event.kind);
  // g4 and g3; g2 is a result.
  EXPECT_EQ(kinds.count(TraceEvent::kDiscard), 2);
  EXPECT_EQ(Plan(1).min_budget_bytes, 300);
}

TEST_F(DtrPlannerTest, RandomGraphsKeepTheirSmallestBudgetWhateverIsAsked) {
  for (uint64_t seed = 21; seed <= 40; ++seed) {
    SCOPED_TRACE(seed);
    Load(optimizer::RandomTrainingGraph({.seed = seed, .layers = 5}));
    const int64_t peak = Judge(KeepAll()).peak_bytes();
    const int64_t smallest = Plan(1).min_budget_bytes;
    for (const int percent : {40, 60, 80, 100}) {
      const PlanResult result = Plan(peak * percent / 100);
      EXPECT_EQ(result.min_budget_bytes, smallest);
      EXPECT_EQ(result.status, peak * percent / 100 >= smallest ? PlanStatus::kFeasible : PlanStatus::kInfeasible);
    }
  }
}

TEST_F(DtrPlannerTest, GraphsOfTheLiterature) {
  for (const char* name : {"unet_b32", "mobilenet_b512", "resnet50_b256", "gpt12"}) {
    const std::string path = optimizer::SharedData(std::string("planning_graphs/") + name + ".json");
    if (path.empty()) GTEST_SKIP() << optimizer::kNoSharedData;
    SCOPED_TRACE(path);
    const absl::StatusOr<config::GraphFile> file = optimizer::ReadAnyGraph(path, absl::Microseconds(100));
    ASSERT_TRUE(file.ok()) << file.status();
    Load(*file);
    const optimizer::Verdict all = Judge(KeepAll());
    double seconds = all.seconds();
    for (const int percent : {90, 75, 60}) {
      const int64_t budget = all.peak_bytes() / 100 * percent;
      const PlanResult result = Plan(budget);
      ASSERT_EQ(result.status, PlanStatus::kFeasible);
      const optimizer::Verdict verdict = Judge(result.program);
      EXPECT_LE(verdict.peak_bytes(), budget);
      // Never slower with more memory, and at most what recomputing the forward pass would cost.
      EXPECT_GE(verdict.seconds(), seconds * (1 - 1e-9));
      EXPECT_LE(verdict.seconds(), all.seconds() * 1.4);
      seconds = verdict.seconds();
    }
  }
}

}  // namespace
}  // namespace str::dtr
