// One suite for all solvers. What a solver is not able to do is a flag below with its reason; what is not installed is
// skipped and says so.
#include <cmath>
#include <cstdlib>
#include <memory>
#include <thread>

#include "absl/time/clock.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "optimizer/ilp/gurobi_c_solver.h"
#include "optimizer/ilp/gurobi_solver.h"
#include "optimizer/ilp/gurobipy_solver.h"
#include "optimizer/ilp/highs_solver.h"
#include "optimizer/ilp/solvers.h"
#include "optimizer/ilp/testing/random_model.h"

namespace str::optimizer {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr double kTolerance = 1e-6;
constexpr char kFakeGurobi[] = "optimizer/ilp/testing/libgurobi_fake.so";

using SolverOr = absl::StatusOr<std::unique_ptr<const Solver>>;

struct Case {
  std::string label;
  SolverOr (*make)();
  std::string name_start;
  // To compare with HiGHS on.
  int random_models = 0;
};

SolverOr MakeHighs() { return MakeSolver(SolverKind::kHighs); }
SolverOr MakeGurobi() { return MakeSolver(SolverKind::kGurobi); }
SolverOr MakeFakeGurobi() {
  const absl::StatusOr<GurobiLibrary> library = GurobiLibrary::Open(kFakeGurobi);
  if (!library.ok()) return library.status();
  return GurobiCSolver::Make(*library);
}

class SolverTest : public ::testing::TestWithParam<Case> {
 protected:
  void SetUp() override {
    SolverOr solver = GetParam().make();
    if (GetParam().label == "gurobi" && !solver.ok()) GTEST_SKIP() << "skipped: " << solver.status().message();
    ASSERT_TRUE(solver.ok()) << solver.status();
    solver_ = *std::move(solver);
  }

  Solution Solve(const LinearModel& model, const SolveOptions& options = {}) {
    absl::StatusOr<Solution> solution = solver_->Solve(model, options);
    EXPECT_TRUE(solution.ok()) << solution.status();
    return solution.ok() ? *std::move(solution) : Solution();
  }

  std::unique_ptr<const Solver> solver_;
};

// max 5a + 4b + 3c so that 2a + 3b + c <= 5, 4a + b + 2c <= 11, 3a + 4b + 2c <= 8: 13 at (2, 0, 1).
TEST_P(SolverTest, SolvesALinearProgram) {
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
TEST_P(SolverTest, IntegersCanBeRelaxed) {
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

// Equal, at most, at least, between, and bound on neither side.
TEST_P(SolverTest, TakesEveryKindOfRow) {
  LinearModel model;
  const int x = model.AddContinuous(-100, 100, 1), y = model.AddContinuous(-100, 100, -2);
  model.AddRow(-LinearModel::kOpen, {{x, 1}}, LinearModel::kOpen);
  model.AddRow(5, {{x, 1}, {y, 1}}, 5);
  model.AddRow(-LinearModel::kOpen, {{y, 1}}, 40);
  model.AddRow(-30, {{x, 1}}, LinearModel::kOpen);
  model.AddRow(-20, {{x, 1}, {y, -1}}, -10);
  const Solution solution = Solve(model);
  ASSERT_EQ(solution.values.size(), 2);
  EXPECT_NEAR(solution.values[x], -7.5, kTolerance);
  EXPECT_NEAR(solution.values[y], 12.5, kTolerance);
  EXPECT_NEAR(solution.objective, -32.5, kTolerance);
}

TEST_P(SolverTest, InfeasibleIsAStatus) {
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

TEST_P(SolverTest, StopsAtTheGap) {
  SolveOptions options;
  options.relative_gap = 0.5;
  LinearModel model;
  for (const double worth : {10, 40, 30, 50}) model.AddBinary(-worth);
  model.AddRow(-LinearModel::kOpen, {{0, 5}, {1, 4}, {2, 6}, {3, 3}}, 10);
  const Solution solution = Solve(model, options);
  EXPECT_EQ(solution.status, SolveStatus::kOptimal);
  EXPECT_LE(solution.bound, -90 + kTolerance);
  EXPECT_LE(solution.objective - solution.bound, 0.5 * std::abs(solution.objective) + kTolerance);
}

TEST_P(SolverTest, LimitsLeaveTheBestSoFar) {
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

TEST_P(SolverTest, ATimeLimitOfNothingIsKept) {
  SolveOptions options;
  options.time_limit = absl::ZeroDuration();
  const absl::Time start = absl::Now();
  EXPECT_NE(Solve(HardModel(), options).status, SolveStatus::kInfeasible);
  EXPECT_LT(absl::Now() - start, absl::Seconds(20));
}

TEST_P(SolverTest, StopsWhenAskedTo) {
  std::atomic<bool> stop(true);
  SolveOptions options;
  options.stop = &stop;
  const absl::Time start = absl::Now();
  Solution solution = Solve(HardModel(), options);
  EXPECT_NE(solution.status, SolveStatus::kInfeasible);
  // While it works, too.
  stop = false;
  std::thread stopper([&] {
    absl::SleepFor(absl::Milliseconds(300));
    stop = true;
  });
  solution = Solve(HardModel(), options);
  stopper.join();
  EXPECT_LT(absl::Now() - start, absl::Seconds(20));
  EXPECT_NE(solution.status, SolveStatus::kInfeasible);
  // What was stopped is no burden on what follows.
  stop = false;
  LinearModel model;
  model.AddBinary(-1);
  EXPECT_EQ(Solve(model, options).status, SolveStatus::kOptimal);
}

void ExpectWithin(const LinearModel& model, const Solution& solution) {
  ASSERT_EQ(solution.values.size(), model.columns().size());
  double objective = model.offset();
  for (size_t i = 0; i < solution.values.size(); ++i) {
    const LinearModel::Column& column = model.columns()[i];
    EXPECT_GE(solution.values[i], column.lower - kTolerance);
    EXPECT_LE(solution.values[i], column.upper + kTolerance);
    if (column.integer) {
      EXPECT_NEAR(solution.values[i], std::round(solution.values[i]), 1e-5);
    }
    objective += column.cost * solution.values[i];
  }
  EXPECT_NEAR(solution.objective, objective, 1e-5);
  for (size_t i = 0; i < model.rows().size(); ++i) {
    const LinearModel::Row& row = model.rows()[i];
    const size_t end = i + 1 < model.rows().size() ? model.rows()[i + 1].first_term : model.terms().size();
    double sum = 0;
    for (size_t term = row.first_term; term < end; ++term) {
      sum += model.terms()[term].coefficient * solution.values[model.terms()[term].column];
    }
    EXPECT_GE(sum, row.lower - 1e-5);
    EXPECT_LE(sum, row.upper + 1e-5);
  }
}

TEST_P(SolverTest, AgreesOnRandomModels) {
  const int models = GetParam().random_models;
  if (models == 0) GTEST_SKIP() << "skipped: HiGHS is held against trying everything, in AgreesWithBruteForce";
  int infeasible = 0;
  for (int seed = 1; seed <= models; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    const LinearModel model = RandomModel(seed);
    const absl::StatusOr<Solution> reference = SolveWithHighs(model, {});
    ASSERT_TRUE(reference.ok()) << reference.status();
    const Solution solution = Solve(model);
    ASSERT_EQ(solution.status, reference->status);
    if (solution.status == SolveStatus::kInfeasible) {
      ++infeasible;
      continue;
    }
    EXPECT_EQ(solution.status, SolveStatus::kOptimal);
    EXPECT_NEAR(solution.objective, reference->objective, kTolerance);
    EXPECT_NEAR(solution.bound, solution.objective, kTolerance);
    ExpectWithin(model, solution);
    SolveOptions relaxed;
    relaxed.relax_integers = true;
    EXPECT_LE(Solve(model, relaxed).bound, solution.objective + kTolerance);
  }
  EXPECT_GT(infeasible, models / 20);
  EXPECT_LT(infeasible, models * 3 / 4);
}

TEST_P(SolverTest, SaysWhoItIs) { EXPECT_THAT(solver_->name(), StartsWith(GetParam().name_start)); }

INSTANTIATE_TEST_SUITE_P(All, SolverTest,
                         ::testing::Values(Case{"highs", &MakeHighs, "HiGHS ", 0},
                                           Case{"gurobi_c_with_highs_inside", &MakeFakeGurobi, "Gurobi 99.1.2", 60},
                                           Case{"gurobi", &MakeGurobi, "Gurobi ", 300}),
                         [](const auto& info) { return info.param.label; });

// Small binary programs with small whole numbers against trying every assignment.
TEST(HighsSolverTest, AgreesWithBruteForce) {
  int infeasible = 0, compared = 0;
  for (uint64_t seed = 1; seed <= 800; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    const LinearModel model = RandomModel(seed);
    const int columns = static_cast<int>(model.columns().size());
    const auto is_integer = [](const LinearModel::Column& column) { return column.integer; };
    if (!std::all_of(model.columns().begin(), model.columns().end(), is_integer)) continue;
    ++compared;
    double best = std::numeric_limits<double>::infinity();
    for (int mask = 0; mask < 1 << columns; ++mask) {
      bool fits = true;
      for (size_t i = 0; i < model.rows().size() && fits; ++i) {
        const size_t end = i + 1 < model.rows().size() ? model.rows()[i + 1].first_term : model.terms().size();
        double sum = 0;
        for (size_t term = model.rows()[i].first_term; term < end; ++term) {
          sum += (mask >> model.terms()[term].column & 1) * model.terms()[term].coefficient;
        }
        fits = model.rows()[i].lower <= sum && sum <= model.rows()[i].upper;
      }
      double objective = model.offset();
      for (int j = 0; j < columns; ++j) objective += (mask >> j & 1) * model.columns()[j].cost;
      if (fits) best = std::min(best, objective);
    }
    const absl::StatusOr<Solution> solution = SolveWithHighs(model, {});
    ASSERT_TRUE(solution.ok()) << solution.status();
    if (std::isinf(best)) {
      EXPECT_EQ(solution->status, SolveStatus::kInfeasible);
      ++infeasible;
      continue;
    }
    EXPECT_EQ(solution->status, SolveStatus::kOptimal);
    EXPECT_NEAR(solution->objective, best, kTolerance);
    EXPECT_NEAR(solution->bound, best, kTolerance);
  }
  EXPECT_GT(compared, 200);
  EXPECT_GT(infeasible, 20);
  EXPECT_LT(infeasible, compared * 3 / 4);
}

TEST(GurobiTest, AModelTooLargeForTheLicenceIsRefusedWithWhatToDo) {
  setenv("FAKE_GUROBI_LARGEST", "3", 1);
  const SolverOr solver = MakeFakeGurobi();
  ASSERT_TRUE(solver.ok()) << solver.status();
  LinearModel model;
  for (int i = 0; i < 4; ++i) model.AddBinary(1);
  const absl::Status refused = (*solver)->Solve(model, {}).status();
  unsetenv("FAKE_GUROBI_LARGEST");
  EXPECT_EQ(refused.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(refused.message(), HasSubstr("4 columns and 0 rows"));
  EXPECT_THAT(refused.message(), HasSubstr("--solver=highs"));
}

TEST(GurobiTest, TheBundledLicenceIsTooSmallForManyColumns) {
  const SolverOr solver = MakeGurobi();
  if (!solver.ok()) GTEST_SKIP() << "skipped: " << solver.status().message();
  LinearModel model;
  for (int i = 0; i < 2001; ++i) model.AddBinary(1);
  const absl::StatusOr<Solution> solution = (*solver)->Solve(model, {});
  if (solution.ok()) GTEST_SKIP() << "skipped: this licence of Gurobi has no limit";
  EXPECT_THAT(solution.status().message(), HasSubstr("2001 columns and 0 rows"));
  // It goes on to work.
  LinearModel small;
  small.AddBinary(-1);
  EXPECT_EQ((*solver)->Solve(small, {})->objective, -1);
}

// Restores what a test changes.
class Environment {
 public:
  Environment(const char* name, const char* value) : name_(name) {
    if (const char* old = std::getenv(name)) old_ = old;
    setenv(name, value, 1);
  }
  ~Environment() { old_.has_value() ? setenv(name_, old_->c_str(), 1) : unsetenv(name_); }

 private:
  const char* const name_;
  std::optional<std::string> old_;
};

TEST(GurobiTest, WithoutItEveryReasonIsGiven) {
  const Environment no_python("STR_GUROBI_PYTHON", "/no/such/python");
  const Environment no_home("GUROBI_HOME", "/no/such/folder");
  const absl::Status missing = MakeGurobi().status();
  if (missing.ok()) GTEST_SKIP() << "skipped: Gurobi is on the loader's path";
  EXPECT_EQ(missing.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(missing.message(), HasSubstr("no libgurobi"));
  EXPECT_THAT(missing.message(), HasSubstr("cannot start /no/such/python"));
  EXPECT_THAT(missing.message(), HasSubstr("--solver=highs"));
}

TEST(GurobiTest, ALicenceThatRefusesTheLibraryIsNamed) {
  const Environment refuses("FAKE_GUROBI_REFUSES", "10009");
  const absl::Status refused = MakeFakeGurobi().status();
  EXPECT_EQ(refused.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(refused.message(), HasSubstr("no licence"));
}

TEST(GurobiTest, AnotherLibraryIsNotTakenForIt) {
  EXPECT_THAT(GurobiLibrary::Open("libm.so.6").status().message(), HasSubstr("not Gurobi's library"));
}

TEST(GurobipyTest, APythonThatSaysSomethingElseIsRefused) {
  EXPECT_THAT(GurobipySolver::Make("echo").status().message(), HasSubstr("is no Python that runs gurobipy"));
  EXPECT_THAT(GurobipySolver::Make("true").status().message(), HasSubstr("did not start"));
}

TEST(LinearModelDeathTest, RefusesLooseBounds) {
  LinearModel model;
  EXPECT_DEATH(model.AddContinuous(0, 1e9, 1), "column 0");
  EXPECT_DEATH(model.AddContinuous(1, 0, 1), "column 0");
}

}  // namespace
}  // namespace str::optimizer
