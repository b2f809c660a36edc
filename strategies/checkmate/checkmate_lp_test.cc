#include "absl/strings/str_replace.h"
#include "gtest/gtest.h"
#include "optimizer/importers/graph_reader.h"
#include "optimizer/simulator/judge.h"
#include "optimizer/testing/program_text.h"
#include "optimizer/testing/shared_data.h"
#include "strategies/registry.h"
#include "strategies/testing/planned_graph.h"

namespace str::strategies {
namespace {

class CheckmateLpTest : public ::testing::TestWithParam<const char*>, protected PlannedGraph {
 protected:
  void Load(const config::GraphFile& file) {
    PlannedGraph::Load(file);
    request_.placed = false;
    // The threshold that is drawn by it is 0.52.
    request_.seed = 33;
  }

  PlanResult Plan(int64_t budget_bytes) { return PlannedGraph::Plan(GetParam(), budget_bytes); }
};

// b is large and cheap: below 310 bytes it is made again for e.
TEST_P(CheckmateLpTest, KeepsEverythingOrRecomputes) {
  Load(LargeAndCheap());
  PlanResult result = Plan(310);
  EXPECT_EQ(result.status, PlanStatus::kOptimal);
  EXPECT_EQ(optimizer::ProgramText(*graph_, result.program), "a b c d e");
  result = Plan(250);
  EXPECT_EQ(result.status, PlanStatus::kFeasible);
  EXPECT_EQ(optimizer::ProgramText(*graph_, result.program), "a b c d again:b e");
  EXPECT_EQ(result.solver.substr(0, 6), "HiGHS ");
  EXPECT_EQ(result.min_budget_bytes, 0);
  EXPECT_EQ(Plan(200).status, PlanStatus::kInfeasible);
}

// The optimum at this budget, by the judge.
TEST_P(CheckmateLpTest, PlansVgg16AsPublished) {
  const std::string path = optimizer::SharedData("checkmate_graphs/vgg16_b256.json");
  if (path.empty()) GTEST_SKIP() << optimizer::kNoSharedData;
  const absl::StatusOr<config::GraphFile> file = optimizer::ReadAnyGraph(path, absl::Microseconds(100));
  ASSERT_TRUE(file.ok()) << file.status();
  Load(*file);
  const PlanResult result = Plan(14000000000);
  ASSERT_EQ(result.status, PlanStatus::kFeasible);
  const absl::StatusOr<optimizer::Verdict> verdict = optimizer::Judge(*graph_, costs_, result.program);
  ASSERT_TRUE(verdict.ok()) << verdict.status();
  EXPECT_EQ(verdict->peak_bytes(), 13153337344);
  EXPECT_NEAR(verdict->seconds(), 1.5805, 1e-6);
}

INSTANTIATE_TEST_SUITE_P(All, CheckmateLpTest,
                         ::testing::Values("checkmate-lp", "checkmate-lp:half", "checkmate-lp:normal",
                                           "checkmate-lp:random"),
                         [](const auto& info) {
                           return absl::StrReplaceAll(info.param, {{"-", "_"}, {":", "_"}});
                         });

}  // namespace
}  // namespace str::strategies
