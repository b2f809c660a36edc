// The contract of planner.h, for every planner in the registry on the same random graphs. A failure prints the seed.
#include <algorithm>

#include "absl/strings/str_replace.h"
#include "gtest/gtest.h"
#include "optimizer/placement/fit.h"
#include "optimizer/testing/program_text.h"
#include "optimizer/testing/training_graph.h"
#include "strategies/registry.h"

namespace str::strategies {
namespace {

using optimizer::Costs;
using optimizer::Fit;
using optimizer::Graph;

// What is asked of a planner.
struct Capabilities {
  uint64_t seeds = 12;
  // Graphs have up to this many layers, about 12 nodes each.
  int layers = 11;
  absl::Duration time_limit = absl::InfiniteDuration();
  bool knows_smallest_budget = true;
};

Capabilities Of(const Planner& planner) {
  Capabilities capabilities;
  // They solve an integer model per plan, which takes minutes beyond some dozen nodes, and its smallest budget would
  // take another one.
  for (const absl::string_view name :
       {"checkmate-ilp", "checkmate-lp", "checkmate-lp:half", "checkmate-lp:random", "str-approx", "str-paper"}) {
    if (planner.name() == name) capabilities = {3, 2, absl::Seconds(1), false};
  }
  // They search for a second or so where the bound leaves room.
  for (const absl::string_view name : {"str", "swap-only", "recompute-only"}) {
    if (planner.name() == name) capabilities.seeds = 4;
  }
  // It goes on until nothing better can be proven.
  if (planner.name() == "str-exact") capabilities = {3, 3, absl::Seconds(2), true};
  return capabilities;
}

class PlannerContractTest : public ::testing::TestWithParam<const Planner*> {
 protected:
  void Load(uint64_t seed, int layers) {
    optimizer::TrainingGraphOptions options;
    options.seed = seed;
    options.layers = layers;
    const config::GraphFile file = optimizer::RandomTrainingGraph(options);
    graph_.emplace(*Graph::FromFile(file));
    costs_ = optimizer::MeasuredCosts(file);
    request_ = PlanRequest();
    request_.graph = &*graph_;
    request_.costs = &costs_;
    request_.time_limit = capabilities_.time_limit;
  }

  int64_t KeepAllBytes() {
    return JudgeProgram(optimizer::KeepAll(*graph_, optimizer::CapturedOrder(*graph_))).verdict.peak_bytes();
  }

  Fit JudgeProgram(const optimizer::Program& program) {
    absl::StatusOr<Fit> fit = optimizer::FitProgram(*graph_, costs_, program, request_.budget_bytes);
    EXPECT_TRUE(fit.ok()) << fit.status();
    return fit.ok() ? *std::move(fit) : Fit();
  }

  PlanResult Plan(int64_t budget_bytes) {
    request_.budget_bytes = budget_bytes;
    absl::StatusOr<PlanResult> result = GetParam()->Plan(request_, nullptr, nullptr);
    EXPECT_TRUE(result.ok()) << result.status();
    if (!result.ok()) return PlanResult();
    EXPECT_EQ(HasPlan(*result), !result->program.empty());
    if (HasPlan(*result)) {
      const Fit fit = JudgeProgram(result->program);
      EXPECT_LE(fit.verdict.peak_bytes(), budget_bytes);
      EXPECT_LE(fit.fit_bytes, budget_bytes);
      EXPECT_LE(result->min_budget_bytes, budget_bytes);
    }
    return *std::move(result);
  }

  static bool HasPlan(const PlanResult& result) {
    return result.status == PlanStatus::kFeasible || result.status == PlanStatus::kOptimal;
  }

  const Capabilities capabilities_ = Of(*GetParam());
  std::optional<Graph> graph_;
  Costs costs_;
  PlanRequest request_;
};

TEST_P(PlannerContractTest, PlansFitTheirBudget) {
  for (uint64_t seed = 1; seed <= capabilities_.seeds; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Load(seed, std::min(capabilities_.layers, 4 + static_cast<int>(seed % 8)));
    const int64_t keep_all = KeepAllBytes();
    EXPECT_FALSE(Plan(2 * keep_all).program.empty());
    for (double share : {0.9, 0.75, 0.6, 0.45}) Plan(static_cast<int64_t>(share * keep_all));
  }
}

TEST_P(PlannerContractTest, TheSmallestBudgetIsOne) {
  for (uint64_t seed = 1; seed <= capabilities_.seeds; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Load(seed, std::min(capabilities_.layers, 6));
    const PlanResult infeasible = Plan(1);
    ASSERT_EQ(infeasible.status, PlanStatus::kInfeasible);
    if (!capabilities_.knows_smallest_budget) {
      EXPECT_EQ(infeasible.min_budget_bytes, 0);
      continue;
    }
    ASSERT_GT(infeasible.min_budget_bytes, 0);
    EXPECT_LE(JudgeProgram(infeasible.least_memory_program).verdict.peak_bytes(), infeasible.min_budget_bytes);
    const PlanResult smallest = Plan(infeasible.min_budget_bytes);
    EXPECT_FALSE(smallest.program.empty());
    EXPECT_EQ(smallest.min_budget_bytes, infeasible.min_budget_bytes);
    EXPECT_EQ(Plan(infeasible.min_budget_bytes - 1).status, PlanStatus::kInfeasible);
  }
  if (!capabilities_.knows_smallest_budget) GTEST_SKIP() << "skipped: its smallest budget is not known";
}

TEST_P(PlannerContractTest, TheSameRequestGivesTheSameProgram) {
  Load(11, std::min(capabilities_.layers, 8));
  request_.seed = 5;
  request_.time_limit = absl::InfiniteDuration();
  const int64_t budget = KeepAllBytes() * 4 / 5;
  EXPECT_EQ(Plan(budget).program, Plan(budget).program);
}

TEST_P(PlannerContractTest, StopsWhenAskedTo) {
  Load(12, 60);
  request_.budget_bytes = KeepAllBytes() * 7 / 10;
  const std::atomic<bool> stop(true);
  const absl::Time start = absl::Now();
  absl::StatusOr<PlanResult> result = GetParam()->Plan(request_, nullptr, &stop);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_LT(absl::Now() - start, absl::Seconds(20));
  if (!result->program.empty()) {
    EXPECT_LE(JudgeProgram(result->program).fit_bytes, request_.budget_bytes);
  }
  request_.time_limit = absl::Milliseconds(1);
  result = GetParam()->Plan(request_, nullptr, nullptr);
  ASSERT_TRUE(result.ok()) << result.status();
}

TEST_P(PlannerContractTest, SaysWhoItIs) {
  EXPECT_EQ(FindPlanner(GetParam()->name()), GetParam());
  EXPECT_FALSE(GetParam()->description().empty());
}

INSTANTIATE_TEST_SUITE_P(All, PlannerContractTest, ::testing::ValuesIn(AllPlanners()), [](const auto& info) {
  return absl::StrReplaceAll(info.param->name(), {{"-", "_"}, {":", "_"}});
});

TEST(RegistryTest, HasThePlannersByName) {
  for (absl::string_view name : {"str", "swap-only", "recompute-only", "keep-all", "checkmate-ilp", "str-paper",
                                 "str-approx", "checkpoint-last", "chen-sqrt", "chen-sqrt-noap", "chen-greedy",
                                 "chen-greedy-noap", "griewank", "checkmate-lp", "kusumoto-exact", "dtr", "capuchin"}) {
    EXPECT_NE(FindPlanner(name), nullptr) << name;
  }
  EXPECT_EQ(FindPlanner("nothing"), nullptr);
}

}  // namespace
}  // namespace str::strategies
