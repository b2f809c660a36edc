#include "strategies/staged/staged_model.h"

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <random>

#include "gtest/gtest.h"
#include "optimizer/ilp/highs_solver.h"
#include "optimizer/importers/graph_reader.h"
#include "optimizer/simulator/judge.h"
#include "optimizer/testing/graph_builder.h"
#include "optimizer/testing/program_text.h"
#include "optimizer/testing/shared_data.h"

namespace str::strategies {
namespace {

using optimizer::Graph;
using optimizer::Solution;
using optimizer::SolveStatus;

struct Loaded {
  Graph graph;
  optimizer::Costs costs;
  StagedGraph staged;
};

Loaded Load(const config::GraphFile& file) {
  Graph graph = *Graph::FromFile(file);
  optimizer::Costs costs = optimizer::MeasuredCosts(file);
  StagedGraph staged(graph, costs, optimizer::CapturedOrder(graph), {});
  return {std::move(graph), std::move(costs), std::move(staged)};
}

Solution Solve(const StagedModel& model) {
  const absl::StatusOr<Solution> solution = optimizer::SolveWithHighs(model.model(), {});
  EXPECT_TRUE(solution.ok()) << solution.status();
  return solution.ok() ? *solution : Solution();
}

// Budget in bytes, optimum in the file's unit of 0.1 ms: published values.
struct Published {
  std::string graph;
  int64_t budget_bytes;
  double cost;
  bool takes_minutes = false;
};

class PublishedOptimumTest : public ::testing::TestWithParam<Published> {};

TEST_P(PublishedOptimumTest, IsReached) {
  const std::string path = optimizer::SharedData(absl::StrCat("checkmate_graphs/", GetParam().graph, ".json"));
  if (path.empty()) GTEST_SKIP() << optimizer::kNoSharedData;
  if (GetParam().takes_minutes && std::getenv("STR_LONG_TESTS") == nullptr) {
    GTEST_SKIP() << "skipped: takes minutes; ./str test --long runs it";
  }
  const absl::StatusOr<config::GraphFile> file = optimizer::ReadAnyGraph(path, absl::Microseconds(100));
  ASSERT_TRUE(file.ok()) << file.status();
  const Loaded loaded = Load(*file);
  const StagedModel model(&loaded.staged, GetParam().budget_bytes, nullptr);
  ASSERT_TRUE(model.possible());
  const Solution solution = Solve(model);
  ASSERT_EQ(solution.status, SolveStatus::kOptimal);
  EXPECT_NEAR(model.Seconds(solution.objective) / 1e-4, GetParam().cost, 1e-3);
  const Schedule schedule = model.Read(solution.values);
  // By Checkmate's own evaluator, and by the judge.
  const CheckmateFigures figures = EvaluateAsCheckmate(loaded.staged, schedule);
  EXPECT_NEAR(figures.seconds / 1e-4, GetParam().cost, 1e-3);
  EXPECT_LE(figures.peak_bytes, GetParam().budget_bytes);
  const absl::StatusOr<optimizer::Verdict> verdict =
      optimizer::Judge(loaded.graph, loaded.costs, ProgramOf(loaded.graph, loaded.staged, schedule.computed));
  ASSERT_TRUE(verdict.ok()) << verdict.status();
  EXPECT_NEAR(verdict->seconds() / 1e-4, GetParam().cost, 1e-3);
  EXPECT_LE(verdict->peak_bytes(), figures.peak_bytes);
}

INSTANTIATE_TEST_SUITE_P(
    All, PublishedOptimumTest,
    ::testing::Values(Published{"vgg16_b256", 16000000000, 15500}, Published{"vgg16_b256", 15500000000, 15620},
                      Published{"vgg16_b256", 15000000000, 15755}, Published{"vgg16_b256", 14500000000, 15805},
                      Published{"vgg16_b256", 13200000000, 15805}, Published{"vgg_unet_b32", 22000000000, 31005},
                      Published{"vgg_unet_b32", 18000000000, 31415, true},
                      Published{"vgg_unet_b32", 16000000000, 31720, true}),
    [](const auto& info) { return absl::StrCat(info.param.graph, "_", info.param.budget_bytes / 100000000); });

// A chain whose second half takes values of the first half again, in reverse, as training does.
StagedGraph RandomStagedGraph(uint64_t seed) {
  std::mt19937_64 random(seed);
  StagedGraph graph;
  const int size = 4 + static_cast<int>(random() % 3);
  for (int i = 0; i < size; ++i) {
    StagedNode node;
    node.seconds = static_cast<double>(1 + random() % 9);
    node.bytes = static_cast<int64_t>(random() % 10);
    node.temporary_bytes = random() % 4 == 0 ? 2 : 0;
    node.may_rerun = random() % 8 != 0;
    node.held = random() % 16 == 0;
    if (i > 0 && random() % 8 != 0) node.inputs.push_back(i - 1);
    if (!node.inputs.empty() && random() % 4 == 0 && !graph.node(i - 1).held) node.takes_over = i - 1;
    const int mirrored = size - 1 - i;
    if (mirrored < i - 1 && random() % 4 != 0) node.inputs.push_back(mirrored);
    graph.Add(node);
  }
  return graph;
}

// The most bytes by the model's own accounting: what is held at the start of a stage, and what its nodes add and free.
int64_t ModelPeak(const StagedGraph& graph, const Schedule& schedule) {
  int64_t peak = 0;
  for (int stage = 0; stage < graph.size(); ++stage) {
    int64_t bytes = 0;
    for (int i = 0; i < stage; ++i) bytes += schedule.held(stage, i) ? graph.node(i).bytes : 0;
    for (int k = 0; k <= stage; ++k) {
      if (!schedule.computed(stage, k)) continue;
      bytes += graph.node(k).bytes;
      int64_t freed_bytes = 0, taken_over = 0;
      for (const int i : graph.node(k).inputs) {
        bool freed = !graph.node(i).held && (stage + 1 == graph.size() || !schedule.held(stage + 1, i));
        for (const int j : graph.node(i).consumers) freed = freed && (j <= k || !schedule.computed(stage, j));
        if (!freed) continue;
        freed_bytes += graph.node(i).bytes;
        if (i == graph.node(k).takes_over) taken_over = graph.node(i).bytes;
      }
      peak = std::max(peak, bytes - taken_over + graph.node(k).temporary_bytes);
      bytes -= freed_bytes;
    }
  }
  return peak;
}

// The least time over every choice of what is held, or nothing if none fits.
std::optional<double> LeastSeconds(const StagedGraph& graph, int64_t budget_bytes) {
  std::vector<std::pair<int, int>> cells;
  for (int stage = 1; stage < graph.size(); ++stage) {
    for (int i = 0; i < stage; ++i) cells.push_back({stage, i});
  }
  std::optional<double> least;
  for (int mask = 0; mask < 1 << cells.size(); ++mask) {
    Schedule schedule;
    schedule.held = StageMatrix(graph.size());
    bool valid = true;
    for (size_t bit = 0; bit < cells.size(); ++bit) {
      schedule.held.Set(cells[bit].first, cells[bit].second, mask >> bit & 1);
      valid = valid && ((mask >> bit & 1) != 0 || !graph.node(cells[bit].second).held);
    }
    schedule.computed = LeastComputed(graph, schedule.held);
    double seconds = 0;
    for (int stage = 0; stage < graph.size(); ++stage) {
      for (int i = 0; i <= stage; ++i) {
        if (!schedule.computed(stage, i)) continue;
        seconds += graph.node(i).seconds;
        valid = valid && (i == stage || graph.node(i).may_rerun);
      }
    }
    if (valid && ModelPeak(graph, schedule) <= budget_bytes) least = std::min(least.value_or(seconds), seconds);
  }
  return least;
}

TEST(StagedModelTest, AgreesWithTryingEverything) {
  int infeasible = 0, recomputing = 0;
  for (uint64_t seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    const StagedGraph graph = RandomStagedGraph(seed);
    const int64_t budget = 8 + static_cast<int64_t>(seed % 16);
    const std::optional<double> least = LeastSeconds(graph, budget);
    const StagedModel model(&graph, budget, nullptr);
    const Solution solution = model.possible() ? Solve(model) : Solution{SolveStatus::kInfeasible};
    if (!least.has_value()) {
      EXPECT_EQ(solution.status, SolveStatus::kInfeasible);
      ++infeasible;
      continue;
    }
    ASSERT_EQ(solution.status, SolveStatus::kOptimal);
    EXPECT_NEAR(model.Seconds(solution.objective), *least, 1e-6);
    const Schedule schedule = model.Read(solution.values);
    EXPECT_LE(ModelPeak(graph, schedule), budget);
    EXPECT_NEAR(EvaluateAsCheckmate(graph, schedule).seconds, *least, 1e-6);
    recomputing += *least > graph.total_seconds();
  }
  EXPECT_GT(infeasible, 10);
  EXPECT_GT(recomputing, 10);
}

TEST(StagedModelTest, CountsItsColumns) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    const StagedGraph graph = RandomStagedGraph(seed);
    const StagedModel model(&graph, 1000, nullptr);
    EXPECT_LE(static_cast<int64_t>(model.model().columns().size()), StagedModel::Columns(graph));
  }
}

}  // namespace
}  // namespace str::strategies
