#include "strategies/checkmate/lp_rounding.h"

#include <cmath>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "optimizer/ilp/highs_solver.h"
#include "optimizer/importers/graph_reader.h"
#include "optimizer/testing/program_text.h"
#include "optimizer/testing/shared_data.h"
#include "strategies/checkmate/baselines.h"
#include "strategies/checkmate/testing_rows.h"

namespace str::strategies {
namespace {

Relaxation Solve(const StagedGraph& staged, int64_t budget_bytes, double share) {
  absl::StatusOr<Relaxation> relaxation = SolveRelaxation(staged, budget_bytes, share, optimizer::HighsSolver(), {});
  EXPECT_TRUE(relaxation.ok()) << relaxation.status();
  return relaxation.ok() ? *std::move(relaxation) : Relaxation();
}

// Objectives, and peak and cost of each rounding by Checkmate's evaluator, as recorded with its own model.
TEST(LpRoundingTest, RoundsVgg16AsCheckmateDoes) {
  const std::string graph_path = optimizer::SharedData("checkmate_graphs/vgg16_b256.json");
  const std::string expected_path = optimizer::SharedData("expected/checkmate_round_vgg16.jsonl");
  if (graph_path.empty() || expected_path.empty()) GTEST_SKIP() << optimizer::kNoSharedData;
  const absl::StatusOr<config::GraphFile> file = optimizer::ReadAnyGraph(graph_path, absl::Microseconds(100));
  ASSERT_TRUE(file.ok()) << file.status();
  const optimizer::Graph graph = *optimizer::Graph::FromFile(*file);
  const StagedGraph staged(graph, optimizer::MeasuredCosts(*file), optimizer::CapturedOrder(graph), {});
  const std::vector<ExpectedRow> rows = ReadExpectedRows(expected_path, "VGG16");
  EXPECT_EQ(rows.size(), 6);
  for (const ExpectedRow& row : rows) {
    const double budget_bytes = row.at("budgetGB").number_value() * 1e9;
    SCOPED_TRACE(budget_bytes);
    const auto overhead = [&](double seconds) { return seconds / staged.total_seconds(); };
    const Relaxation whole = Solve(staged, std::llround(budget_bytes), 1);
    EXPECT_NEAR(overhead(whole.seconds), row.at("lp_lower_bound").number_value(), 1e-6);
    const Relaxation relaxation = Solve(staged, std::llround(budget_bytes), 0.9);
    ASSERT_EQ(relaxation.status, optimizer::SolveStatus::kOptimal);
    EXPECT_NEAR(overhead(relaxation.seconds), row.at("lp_obj").number_value(), 1e-6);
    for (int tenths = 1; tenths <= 9; ++tenths) {
      const std::string threshold = absl::StrCat("0.", tenths);
      const auto& expected = row.at("det").struct_value().fields().at(threshold).list_value().values();
      const CheckmateFigures figures =
          EvaluateAsCheckmate(staged, ScheduleOf(staged, relaxation.held.AtLeast(tenths / 10.0)));
      EXPECT_NEAR(static_cast<double>(figures.peak_bytes) / 1e9, expected[0].number_value(), 5e-4) << threshold;
      EXPECT_NEAR(overhead(figures.seconds), expected[1].number_value(), 5e-5) << threshold;
    }
    // Its 30 draws are not ours: the same share of them fits, and they cost about the same.
    double sum = 0;
    int fit = 0;
    for (uint64_t seed = 0; seed < 30; ++seed) {
      const CheckmateFigures figures = EvaluateAsCheckmate(staged, ScheduleOf(staged, relaxation.held.Draw(seed)));
      sum += overhead(figures.seconds);
      fit += static_cast<double>(figures.peak_bytes) <= budget_bytes;
    }
    EXPECT_EQ(fit, WholeNumber(row.at("rand_ok")));
    EXPECT_NEAR(sum / 30, row.at("rand_mean").number_value(), 0.05);
  }
}

TEST(LpRoundingTest, SharesAreRoundedByThresholdOrByChance) {
  HeldShares shares(3);
  shares.Set(1, 0, 0.4);
  shares.Set(2, 0, 1);
  const StageMatrix at_least = shares.AtLeast(0.4);
  EXPECT_TRUE(at_least(1, 0));
  EXPECT_TRUE(at_least(2, 0));
  EXPECT_FALSE(at_least(2, 1));
  EXPECT_FALSE(shares.AtLeast(0.5)(1, 0));
  int drawn = 0;
  for (uint64_t seed = 0; seed < 1000; ++seed) {
    const StageMatrix held = shares.Draw(seed);
    drawn += held(1, 0);
    EXPECT_TRUE(held(2, 0));
    EXPECT_FALSE(held(2, 1));
  }
  EXPECT_NEAR(drawn, 400, 60);
}

// Of a normal distribution with that deviation 16 % lie below 0 and 16 % above 1.
TEST(LpRoundingTest, ThresholdsAreDrawnFromANormalDistributionCutAtBothEnds) {
  int zeros = 0, ones = 0, below_half = 0;
  for (uint64_t seed = 0; seed < 1000; ++seed) {
    const double threshold = DrawThreshold(seed);
    ASSERT_GE(threshold, 0);
    ASSERT_LE(threshold, 1);
    zeros += threshold == 0;
    ones += threshold == 1;
    below_half += threshold < 0.5;
    EXPECT_EQ(DrawThreshold(seed), threshold);
  }
  EXPECT_NEAR(zeros, 159, 40);
  EXPECT_NEAR(ones, 159, 40);
  EXPECT_NEAR(below_half, 500, 60);
}

}  // namespace
}  // namespace str::strategies
