#include "gtest/gtest.h"
#include "optimizer/importers/graph_reader.h"
#include "optimizer/simulator/judge.h"
#include "optimizer/testing/graph_builder.h"
#include "optimizer/testing/program_text.h"
#include "optimizer/testing/shared_data.h"
#include "strategies/registry.h"
#include "strategies/testing/planned_graph.h"

namespace str::strategies {
namespace {

class CapuchinTest : public ::testing::Test, protected PlannedGraph {
 protected:
  // b is made first and taken last; making it costs 1000 ns, copying it 100 ns.
  void LoadIdle() {
    optimizer::GraphBuilder b;
    b.AddArgument("a", 10);
    b.Add("b", {"a:0"}, {100}, 1000);
    b.Add("c", {"b:0"}, {100}, 200);
    b.Add("d", {"c:0"}, {100}, 200);
    b.Add("e", {"d:0"}, {10}, 200);
    b.Add("f", {"e:0"}, {10}, 200);
    b.Add("g", {"f:0", "b:0"}, {10}, 200);
    Load(b.file());
  }

  PlanResult Plan(int64_t budget_bytes) { return PlannedGraph::Plan("capuchin", budget_bytes); }
};

TEST_F(CapuchinTest, DoesNothingWhereEverythingFits) {
  LoadIdle();
  const PlanResult result = Plan(300);
  EXPECT_EQ(result.status, PlanStatus::kFeasible);
  EXPECT_EQ(optimizer::ProgramText(*graph_, result.program), "b c d e f g");
}

TEST_F(CapuchinTest, SwapsWhatIsHidden) {
  LoadIdle();
  const PlanResult result = Plan(250);
  ASSERT_EQ(result.status, PlanStatus::kFeasible);
  const optimizer::Verdict verdict = Judge(result.program);
  EXPECT_EQ(verdict.counts.swapped_tensors, 1);
  EXPECT_EQ(verdict.counts.recomputed_nodes, 0);
  EXPECT_NEAR(verdict.seconds(), 2000e-9, 1e-12);
  EXPECT_EQ(result.min_budget_bytes, 200);
}

TEST_F(CapuchinTest, RecomputesWhatIsNotHidden) {
  LoadIdle();
  costs_.copy_in_bytes_per_second = 1e6;
  const optimizer::Verdict verdict = Judge(Plan(250).program);
  EXPECT_EQ(verdict.counts.swapped_tensors, 0);
  EXPECT_EQ(verdict.counts.recomputed_nodes, 1);
  EXPECT_NEAR(verdict.seconds(), 3000e-9, 1e-12);
}

TEST_F(CapuchinTest, PinsAndTheHostsMemoryCount) {
  LoadIdle();
  request_.host_limit_bytes = 99;
  EXPECT_EQ(Judge(Plan(250).program).counts.recomputed_nodes, 1);
  request_.host_limit_bytes = 0;
  request_.pins.assign(graph_->tensor_count(), Pin::kRecompute);
  EXPECT_EQ(Judge(Plan(250).program).counts.recomputed_nodes, 1);
  request_.pins.assign(graph_->tensor_count(), Pin::kKeep);
  EXPECT_EQ(Plan(250).status, PlanStatus::kInfeasible);
}

TEST_F(CapuchinTest, WithoutCopyRatesItSaysWhatToDo) {
  LoadIdle();
  costs_.copy_in_bytes_per_second = 0;
  EXPECT_EQ(FindPlanner("capuchin")->Plan(request_, nullptr, nullptr).status().code(),
            absl::StatusCode::kFailedPrecondition);
}

// At the peak of STR's published solution, which copies 13 tensors and recomputes nothing.
TEST_F(CapuchinTest, PlansVgg16AtThePeakOfStr) {
  const std::string path = optimizer::SharedData("checkmate_graphs/vgg16_b256.json");
  if (path.empty()) GTEST_SKIP() << optimizer::kNoSharedData;
  Load(*optimizer::ReadAnyGraph(path, absl::Microseconds(100)));
  costs_.copy_in_bytes_per_second = costs_.copy_out_bytes_per_second = 1e10;
  request_.placed = false;
  const PlanResult result = Plan(15208546304);
  ASSERT_EQ(result.status, PlanStatus::kFeasible);
  const optimizer::Verdict verdict = Judge(result.program);
  EXPECT_LE(verdict.peak_bytes(), request_.budget_bytes);
  EXPECT_NEAR(verdict.seconds(), 1.55, 1e-6);
  // Down to where nothing spans the peak any more.
  const PlanResult least = Plan(result.min_budget_bytes);
  ASSERT_EQ(least.status, PlanStatus::kFeasible);
  EXPECT_LT(result.min_budget_bytes, verdict.peak_bytes());
  EXPECT_LE(Judge(least.program).peak_bytes(), result.min_budget_bytes);
}

}  // namespace
}  // namespace str::strategies
