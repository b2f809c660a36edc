#include "optimizer/ilp/highs_solver.h"

#include <cmath>
#include <random>

#include "absl/time/clock.h"
#include "gtest/gtest.h"

namespace str::optimizer {
namespace {

constexpr double kTolerance = 1e-6;

Solution Solve(const LinearModel& model, const SolveOptions& options = {}) {
  absl::StatusOr<Solution> solution = SolveWithHighs(model, options);
  EXPECT_TRUE(solution.ok()) << solution.status();
  return solution.ok() ? *std::move(solution) : Solution();
}

// max 5a + 4b + 3c so that 2a + 3b + c <= 5, 4a + b + 2c <= 11, 3a + 4b + 2c <= 8: 13 at (2, 0, 1).
TEST(HighsSolverTest, SolvesALinearProgram) {
  LinearModel model;
  const int a = model.AddContinuous(0, 10, -5), b = model.AddContinuous(0, 10, -4), c = model.AddContinuous(0, 10, -3);
  model.AddRow(-LinearModel::kOpen, {{a, 2}, {b, 3}, {c, 1}}, 5);
  model.AddRow(-LinearModel::kOpen, {{a, 4}, {b, 1}, {c, 2}}, 11);
  model.AddRow(-LinearModel::kOpen, {{a, 3}, {b, 4}, {c, 2}}, 8);
  model.set_offset(100);
  const Solution solution = Solve(model);
  EXPECT_EQ(solution.status, SolveStatus::kOptimal);
  EXPECT_NEAR(solution.objective, 87, kTolerance);
  EXPECT_NEAR(solution.bound, 87, kTolerance);
  ASSERT_EQ(solution.values.size(), 3);
  EXPECT_NEAR(solution.values[a], 2, kTolerance);
  EXPECT_NEAR(solution.values[c], 1, kTolerance);
}

// A knapsack: of (weight, worth) (5, 10), (4, 40), (6, 30), (3, 50) into 10 the best is 90; relaxed it is 105.
TEST(HighsSolverTest, IntegersCanBeRelaxed) {
  LinearModel model;
  for (const double worth : {10, 40, 30, 50}) model.AddBinary(-worth);
  model.AddRow(-LinearModel::kOpen, {{0, 5}, {1, 4}, {2, 6}, {3, 3}}, 10);
  const Solution whole = Solve(model);
  EXPECT_EQ(whole.status, SolveStatus::kOptimal);
  EXPECT_NEAR(whole.objective, -90, kTolerance);
  EXPECT_NEAR(whole.bound, -90, kTolerance);
  SolveOptions relaxed;
  relaxed.relax_integers = true;
  EXPECT_NEAR(Solve(model, relaxed).objective, -105, kTolerance);
}

TEST(HighsSolverTest, InfeasibleIsAStatus) {
  for (const bool integer : {false, true}) {
    LinearModel model;
    const int x = integer ? model.AddBinary(1) : model.AddContinuous(0, 1, 1);
    model.AddRow(2, {{x, 1}}, LinearModel::kOpen);
    const Solution solution = Solve(model);
    EXPECT_EQ(solution.status, SolveStatus::kInfeasible);
    EXPECT_TRUE(solution.values.empty());
    EXPECT_EQ(solution.bound, std::numeric_limits<double>::infinity());
  }
}

// Subset sums of odd and even numbers: nothing is close to the optimum, so the search goes on.
LinearModel HardModel() {
  std::mt19937_64 random(1);
  LinearModel model;
  for (int row = 0; row < 5; ++row) {
    std::vector<LinearTerm> terms;
    double sum = 0;
    for (int column = 0; column < 50; ++column) {
      if (row == 0) model.AddBinary(0);
      const double coefficient = static_cast<double>(random() % 100);
      terms.push_back({column, coefficient});
      sum += coefficient;
    }
    const int low = model.AddContinuous(0, 5000, 1), high = model.AddContinuous(0, 5000, 1);
    terms.push_back({low, 1});
    terms.push_back({high, -1});
    model.AddRow(std::floor(sum / 2), terms, std::floor(sum / 2));
  }
  return model;
}

TEST(HighsSolverTest, LimitsLeaveTheBestSoFar) {
  SolveOptions options;
  options.time_limit = absl::Seconds(1);
  int reports = 0;
  options.progress = [&](double objective, double bound) {
    ++reports;
    EXPECT_LE(bound, objective + kTolerance);
  };
  const Solution solution = Solve(HardModel(), options);
  ASSERT_EQ(solution.status, SolveStatus::kFeasible);
  EXPECT_FALSE(solution.values.empty());
  EXPECT_LT(solution.bound, solution.objective);
  EXPECT_GT(reports, 0);
}

TEST(HighsSolverTest, StopsWhenAskedTo) {
  const std::atomic<bool> stop(true);
  SolveOptions options;
  options.stop = &stop;
  const absl::Time start = absl::Now();
  const Solution solution = Solve(HardModel(), options);
  EXPECT_LT(absl::Now() - start, absl::Seconds(20));
  EXPECT_TRUE(solution.status == SolveStatus::kFeasible || solution.status == SolveStatus::kNone);
}

// Small binary programs with small whole numbers against trying every assignment.
TEST(HighsSolverTest, AgreesWithBruteForce) {
  int infeasible = 0;
  for (uint64_t seed = 1; seed <= 400; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    std::mt19937_64 random(seed);
    const auto number = [&](int low, int high) {
      return static_cast<double>(low + static_cast<int>(random() % (high - low + 1)));
    };
    const int columns = 1 + static_cast<int>(random() % 10);
    const int rows = static_cast<int>(random() % 6);
    LinearModel model;
    for (int j = 0; j < columns; ++j) model.AddBinary(number(-9, 9));
    for (int i = 0; i < rows; ++i) {
      std::vector<LinearTerm> terms;
      for (int j = 0; j < columns; ++j) terms.push_back({j, number(-9, 9)});
      const double lower = number(-9, 9);
      model.AddRow(random() % 3 == 0 ? -LinearModel::kOpen : lower, terms, lower + number(0, 9));
    }
    double best = std::numeric_limits<double>::infinity();
    for (int mask = 0; mask < 1 << columns; ++mask) {
      bool fits = true;
      for (int i = 0; i < rows && fits; ++i) {
        double sum = 0;
        for (int j = 0; j < columns; ++j) sum += (mask >> j & 1) * model.terms()[i * columns + j].coefficient;
        fits = model.rows()[i].lower <= sum && sum <= model.rows()[i].upper;
      }
      double objective = 0;
      for (int j = 0; j < columns; ++j) objective += (mask >> j & 1) * model.columns()[j].cost;
      if (fits) best = std::min(best, objective);
    }
    const Solution solution = Solve(model);
    SolveOptions relaxed;
    relaxed.relax_integers = true;
    EXPECT_LE(Solve(model, relaxed).bound, best + kTolerance);
    if (std::isinf(best)) {
      EXPECT_EQ(solution.status, SolveStatus::kInfeasible);
      ++infeasible;
      continue;
    }
    EXPECT_EQ(solution.status, SolveStatus::kOptimal);
    EXPECT_NEAR(solution.objective, best, kTolerance);
    EXPECT_NEAR(solution.bound, best, kTolerance);
  }
  EXPECT_GT(infeasible, 20);
  EXPECT_LT(infeasible, 300);
}

TEST(HighsSolverTest, SaysWhoItIs) { EXPECT_EQ(HighsName().substr(0, 6), "HiGHS "); }

TEST(LinearModelDeathTest, RefusesLooseBounds) {
  LinearModel model;
  EXPECT_DEATH(model.AddContinuous(0, 1e9, 1), "column 0");
  EXPECT_DEATH(model.AddContinuous(1, 0, 1), "column 0");
}

}  // namespace
}  // namespace str::optimizer
