#include <cmath>
#include <cstdlib>

#include "gtest/gtest.h"
#include "optimizer/importers/graph_reader.h"
#include "optimizer/simulator/judge.h"
#include "optimizer/testing/program_text.h"
#include "optimizer/testing/shared_data.h"
#include "strategies/checkmate/testing_rows.h"
#include "strategies/registry.h"
#include "strategies/testing/planned_graph.h"

namespace str::strategies {
namespace {

class CheckmateIlpTest : public ::testing::Test, protected PlannedGraph {
 protected:
  PlanResult Plan(int64_t budget_bytes) { return PlannedGraph::Plan("checkmate-ilp", budget_bytes); }
};

// b is large and cheap: at 250 it is made again for e, at 200 nothing helps.
TEST_F(CheckmateIlpTest, RecomputesWhatIsCheapest) {
  Load(LargeAndCheap());
  PlanResult result = Plan(310);
  EXPECT_EQ(result.status, PlanStatus::kOptimal);
  EXPECT_EQ(optimizer::ProgramText(*graph_, result.program), "a b c d e");
  result = Plan(250);
  EXPECT_EQ(result.status, PlanStatus::kOptimal);
  EXPECT_EQ(optimizer::ProgramText(*graph_, result.program), "a b c d again:b e");
  EXPECT_EQ(result.solver.substr(0, 6), "HiGHS ");
  EXPECT_EQ(Plan(200).status, PlanStatus::kInfeasible);
  request_.pins.assign(graph_->tensor_count(), Pin::kFree);
  request_.pins[1] = Pin::kKeep;
  EXPECT_EQ(Plan(250).status, PlanStatus::kInfeasible);
}

struct Recorded {
  std::string name, graph, rows;
  int count;
};

class RecordedOptimumTest : public CheckmateIlpTest, public ::testing::WithParamInterface<Recorded> {};

// Budgets and optima recorded with the model of Checkmate's authors, in units of 0.1 ms.
TEST_P(RecordedOptimumTest, IsReachedAtEveryBudget) {
  const std::string path = optimizer::SharedData("checkmate_graphs/" + GetParam().graph);
  const std::string rows_path = optimizer::SharedData("expected/" + GetParam().rows);
  if (path.empty() || rows_path.empty()) GTEST_SKIP() << optimizer::kNoSharedData;
  const absl::StatusOr<config::GraphFile> file = optimizer::ReadAnyGraph(path, absl::Microseconds(100));
  ASSERT_TRUE(file.ok()) << file.status();
  Load(*file);
  request_.placed = false;
  const std::vector<ExpectedRow> rows = ReadExpectedRows(rows_path, "");
  EXPECT_EQ(rows.size(), GetParam().count);
  bool all = true;
  for (const ExpectedRow& row : rows) {
    SCOPED_TRACE(row.at("budgetGB").number_value());
    const bool solved = row.at("status").string_value() == "Optimal";
    if (solved && row.at("sec").number_value() > 3 && std::getenv("STR_LONG_TESTS") == nullptr) {
      all = false;
      continue;
    }
    const PlanResult result = Plan(std::llround(row.at("budgetGB").number_value() * 1e9));
    if (!solved) {
      // Infeasible, or unknown when its solver's time was up.
      EXPECT_EQ(result.status, PlanStatus::kInfeasible);
      continue;
    }
    EXPECT_EQ(result.status, PlanStatus::kOptimal);
    const absl::StatusOr<optimizer::Verdict> verdict = optimizer::Judge(*graph_, costs_, result.program);
    ASSERT_TRUE(verdict.ok()) << verdict.status();
    EXPECT_LE(verdict->peak_bytes(), request_.budget_bytes);
    EXPECT_NEAR(verdict->seconds() / 1e-4, row.at("obj").number_value(), 1e-3);
  }
  if (!all) GTEST_SKIP() << "skipped: some budgets, which take minutes; ./str test --long runs them";
}

INSTANTIATE_TEST_SUITE_P(All, RecordedOptimumTest,
                         ::testing::Values(Recorded{"vgg16", "vgg16_b256.json", "checkmate_ilp_vgg16.jsonl", 14},
                                           Recorded{"unet", "vgg_unet_b32.json", "checkmate_ilp_unet.jsonl", 3}),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace str::strategies
