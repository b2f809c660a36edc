#include "strategies/checkmate/baselines.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <string>

#include "gtest/gtest.h"
#include "optimizer/importers/graph_reader.h"
#include "optimizer/testing/program_text.h"
#include "optimizer/testing/shared_data.h"
#include "strategies/checkmate/checkpoints.h"
#include "strategies/checkmate/retention.h"
#include "strategies/checkmate/testing_chain.h"
#include "strategies/checkmate/testing_python_set.h"
#include "strategies/checkmate/testing_rows.h"

namespace str::strategies {
namespace {

using google::protobuf::Value;

// Bytes, and the cost in the file's unit, which tests read as nanoseconds.
struct Figures {
  int64_t peak = 0;
  int64_t cost = 0;
  friend bool operator==(const Figures& a, const Figures& b) { return a.peak == b.peak && a.cost == b.cost; }
  friend std::ostream& operator<<(std::ostream& out, const Figures& figures) {
    return out << "peak " << figures.peak << " cost " << figures.cost;
  }
};

Figures Evaluate(const StagedGraph& staged, const Schedule& schedule, double unit_seconds) {
  const CheckmateFigures figures = EvaluateAsCheckmate(staged, schedule);
  return {figures.peak_bytes, std::llround(figures.seconds / unit_seconds)};
}

// By the name in Checkmate's code, its baselines that have one schedule.
Schedule OneSchedule(const StagedGraph& staged, const Passes& passes, const std::string& name) {
  if (name == "CHECKPOINT_ALL") return ScheduleOf(staged, HoldCheckpoints(staged, passes, passes.candidates));
  if (name == "CHECKPOINT_ALL_AP") {
    return ScheduleOf(staged, HoldCheckpoints(staged, passes, passes.articulation_points));
  }
  if (name == "CHECKPOINT_LAST_NODE") return ScheduleOf(staged, HoldLast(staged, passes));
  if (name == "CHEN_SQRTN") return ChenSqrt(staged, passes, Checkpoints::kArticulationPoints);
  EXPECT_EQ(name, "CHEN_SQRTN_NOAP");
  return ChenSqrt(staged, passes, Checkpoints::kAnywhere);
}

Figures Greedy(const StagedGraph& staged, const Passes& passes, Checkpoints where, double bytes) {
  const bool anywhere = where == Checkpoints::kAnywhere;
  const std::vector<int>& candidates = anywhere ? passes.candidates : passes.articulation_points;
  const std::vector<int> checkpoints = GreedyCheckpoints(staged, passes, candidates, bytes);
  return Evaluate(staged, ScheduleOf(staged, HoldCheckpoints(staged, passes, checkpoints)), 1e-9);
}

std::vector<Figures> Sweep(const StagedGraph& staged, const Passes& passes, Checkpoints where) {
  std::vector<Figures> all;
  for (const std::vector<int>& checkpoints : ChenGreedySweep(staged, passes, where)) {
    all.push_back(Evaluate(staged, ScheduleOf(staged, HoldCheckpoints(staged, passes, checkpoints)), 1e-9));
  }
  return all;
}

struct Model {
  std::string name, file;
};

class CheckmateBaselinesTest : public ::testing::TestWithParam<Model> {};

TEST_P(CheckmateBaselinesTest, AreThoseOfItsArtifactRowByRow) {
  const std::string graph_path = optimizer::SharedData("checkmate_graphs/" + GetParam().file);
  const std::string expected_path = optimizer::SharedData("expected/checkmate_baselines.jsonl");
  if (graph_path.empty() || expected_path.empty()) GTEST_SKIP() << optimizer::kNoSharedData;
  const absl::StatusOr<config::GraphFile> file = optimizer::ReadAnyGraph(graph_path, absl::Nanoseconds(1));
  ASSERT_TRUE(file.ok()) << file.status();
  const optimizer::Graph graph = *optimizer::Graph::FromFile(*file);
  const StagedGraph staged(graph, optimizer::MeasuredCosts(*file), optimizer::CapturedOrder(graph), {});
  const Passes passes = FindPasses(staged, &graph);
  ASSERT_TRUE(passes.mirrored);
  std::set<std::string> seen;
  for (const ExpectedRow& row : ReadExpectedRows(expected_path, GetParam().name)) {
    const std::string& strategy = row.at("strategy").string_value();
    SCOPED_TRACE(strategy);
    seen.insert(strategy);
    if (row.contains("peak")) {
      const Figures expected = {WholeNumber(row.at("peak")), WholeNumber(row.at("cpu"))};
      Figures figures = Evaluate(staged, OneSchedule(staged, passes, strategy), 1e-9);
      if (strategy == "CHEN_SQRTN") {
        // By its rule no worse than the artifact, which takes the points in the order of a Python set.
        EXPECT_EQ(figures.peak, expected.peak);
        EXPECT_LE(figures.cost, expected.cost);
        const std::vector<int> points = PythonSet(passes.articulation_points).Values();
        figures = Evaluate(staged, ScheduleOf(staged, HoldCheckpoints(staged, passes, SqrtCheckpoints(points))), 1e-9);
      }
      EXPECT_EQ(figures, expected);
      continue;
    }
    EXPECT_TRUE(strategy == "CHEN_GREEDY" || strategy == "CHEN_GREEDY_NOAP");
    const Checkpoints where = strategy == "CHEN_GREEDY" ? Checkpoints::kArticulationPoints : Checkpoints::kAnywhere;
    const std::vector<Figures> sweep = Sweep(staged, passes, where);
    // Each point has peak, cost, overhead and the bytes between checkpoints that it was found with. It need not be best
    // in the whole sweep: the file's sweep is coarser.
    for (const Value& value : row.at("pareto").list_value().values()) {
      const auto& point = value.list_value().values();
      const Figures expected = {WholeNumber(point[0]), WholeNumber(point[1])};
      EXPECT_EQ(Greedy(staged, passes, where, point[3].number_value()), expected);
      EXPECT_EQ(std::count(sweep.begin(), sweep.end(), expected), 1) << expected;
    }
  }
  EXPECT_EQ(seen.size(), 7);
}

INSTANTIATE_TEST_SUITE_P(All, CheckmateBaselinesTest,
                         ::testing::Values(Model{"VGG16", "vgg16_b256.json"}, Model{"vgg_unet", "vgg_unet_b32.json"},
                                           Model{"MobileNet", "mobilenet_b512.json"}),
                         [](const auto& info) { return info.param.name; });

struct ChainRow {
  int layers;
  Figures all, last, sqrt, greedy, greedy_anywhere;
};

// Chains of unit cost and size, measured with Checkmate's artifact.
TEST(BaselinesTest, ChainsCostAsInCheckmate) {
  const ChainRow rows[] = {{4, {6, 9}, {3, 19}, {5, 11}, {5, 11}, {8, 9}},
                           {8, {10, 17}, {3, 53}, {7, 21}, {7, 21}, {8, 21}},
                           {16, {18, 33}, {3, 169}, {10, 45}, {9, 43}, {11, 45}},
                           {32, {34, 65}, {3, 593}, {14, 89}, {15, 85}, {14, 89}}};
  for (const ChainRow& row : rows) {
    SCOPED_TRACE(row.layers);
    const StagedGraph chain = UnitChain(row.layers);
    const Passes passes = FindPasses(chain, nullptr);
    ASSERT_TRUE(passes.mirrored);
    EXPECT_EQ(passes.articulation_points, passes.candidates);
    const auto figures = [&](const std::string& name) { return Evaluate(chain, OneSchedule(chain, passes, name), 1); };
    const auto greedy = [&](double bytes) {
      const std::vector<int> checkpoints = GreedyCheckpoints(chain, passes, passes.candidates, bytes);
      return Evaluate(chain, ScheduleOf(chain, HoldCheckpoints(chain, passes, checkpoints)), 1);
    };
    EXPECT_EQ(figures("CHECKPOINT_ALL"), row.all);
    EXPECT_EQ(figures("CHECKPOINT_LAST_NODE"), row.last);
    EXPECT_EQ(figures("CHEN_SQRTN"), row.sqrt);
    EXPECT_EQ(greedy(2), row.greedy);
    EXPECT_EQ(greedy(4), row.greedy_anywhere);
  }
}

TEST(BaselinesTest, SnapshotCountsEndWithAll) {
  EXPECT_EQ(SnapshotCounts(0), std::vector<int>{0});
  EXPECT_EQ(SnapshotCounts(3), (std::vector<int>{0, 1, 2, 3}));
  const std::vector<int> counts = SnapshotCounts(1000);
  EXPECT_TRUE(std::is_sorted(counts.begin(), counts.end()));
  EXPECT_EQ(counts.back(), 1000);
  EXPECT_LT(counts.size(), 120);
}

}  // namespace
}  // namespace str::strategies
