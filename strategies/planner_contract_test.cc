// The contract of planner.h, for every planner in the registry on the same random graphs. A failure prints the seed.
#include <algorithm>
#include <cmath>
#include <limits>

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
  for (const absl::string_view name : {"checkmate-ilp", "checkmate-lp", "checkmate-lp:half", "checkmate-lp:normal",
                                       "checkmate-lp:random", "str-approx", "str-paper"}) {
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
  const int64_t budget = std::max(KeepAllBytes() * 4 / 5, Plan(1).min_budget_bytes);
  const optimizer::Program program = Plan(budget).program;
  EXPECT_EQ(Plan(budget).program, program);
  if (program.empty()) GTEST_SKIP() << "skipped: it has no plan for this graph that could differ";
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

// The first of each pair looks at all that the second looks at.
constexpr absl::string_view kDominates[][2] = {
    {"str-exact", "str"},
    {"str", "keep-all"},
    {"checkmate-lp", "checkmate-lp:half"},
    {"kusumoto-exact:time", "kusumoto-exact:memory"},
    {"kusumoto-approx:time", "kusumoto-approx:memory"},
};

TEST(DominanceTest, NobodyIsBeatenByAPlannerThatItDominates) {
  int compared = 0;
  for (const auto& [better, worse] : kDominates) {
    for (uint64_t seed = 1; seed <= 4; ++seed) {
      SCOPED_TRACE(testing::Message() << better << " against " << worse << ", seed " << seed);
      const config::GraphFile file = optimizer::RandomTrainingGraph({.seed = seed, .layers = 2});
      const Graph graph = *Graph::FromFile(file);
      const Costs costs = optimizer::MeasuredCosts(file);
      const optimizer::Program kept = optimizer::KeepAll(graph, optimizer::CapturedOrder(graph));
      const auto seconds = [&](absl::string_view name, double share) {
        PlanRequest request;
        request.graph = &graph;
        request.costs = &costs;
        const int64_t peak = optimizer::FitProgram(graph, costs, kept)->verdict.peak_bytes();
        request.budget_bytes = static_cast<int64_t>(share * static_cast<double>(peak));
        const absl::StatusOr<PlanResult> result = FindPlanner(name)->Plan(request, nullptr, nullptr);
        EXPECT_TRUE(result.ok()) << result.status();
        if (!result.ok() || result->program.empty()) return std::numeric_limits<double>::infinity();
        return optimizer::FitProgram(graph, costs, result->program)->verdict.seconds();
      };
      for (const double share : {1.05, 0.8}) {
        const double at_most = seconds(worse, share);
        if (std::isinf(at_most)) continue;
        ++compared;
        EXPECT_LE(seconds(better, share), at_most * (1 + 1e-9));
      }
    }
  }
  EXPECT_GT(compared, 10);
}

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
