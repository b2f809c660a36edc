#include "optimizer/bound/min_cut.h"

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "optimizer/bound/max_flow.h"
#include "optimizer/bound/single_cut.h"
#include "optimizer/ilp/highs_solver.h"
#include "optimizer/importers/graph_reader.h"
#include "optimizer/simulator/judge.h"
#include "optimizer/testing/program_text.h"
#include "optimizer/testing/shared_data.h"
#include "optimizer/testing/training_graph.h"

namespace str::optimizer {
namespace {

TEST(MaxFlowTest, FindsTheCut) {
  MaxFlow flow(4);
  flow.AddArc(0, 2, 5);
  flow.AddArc(0, 3, 3);
  flow.AddArc(2, 3, MaxFlow::kUnlimited);
  flow.AddArc(3, 1, 6);
  flow.AddArc(2, 1, 1);
  EXPECT_EQ(flow.Solve(0, 1), 7);
  EXPECT_TRUE(flow.OnSourceSide(0));
  EXPECT_TRUE(flow.OnSourceSide(3));
  EXPECT_FALSE(flow.OnSourceSide(1));
}

// The relaxed linear model of every cut, by HiGHS and by cuts of a network. Returns at how many there is extra time.
int Compare(const config::GraphFile& file, double share, int every) {
  const Graph graph = *Graph::FromFile(file);
  const Costs costs = MeasuredCosts(file);
  const Program keep = KeepAll(graph, CapturedOrder(graph));
  std::vector<NodeId> order;
  for (const Step& step : keep) order.push_back(step.id);
  const int64_t budget = static_cast<int64_t>(share * Judge(graph, costs, keep)->peak_bytes());
  const CutProblem problem(graph, costs, order, budget / 10000);
  int extra = 0;
  for (int position = 0; position < problem.positions(); position += every) {
    SCOPED_TRACE(absl::StrCat("cut ", position, " at ", share));
    const CutView view = InOrderView(problem, position, budget);
    const double by_cut = MinCutSeconds(problem, view) / problem.total_seconds();
    const std::optional<SingleCut> model = SingleCutModel(problem, view, /*copies=*/false);
    if (!model.has_value()) {
      EXPECT_NEAR(by_cut, 1, 1e-9);
      continue;
    }
    SolveOptions options;
    options.relax_integers = true;
    const absl::StatusOr<Solution> solution = SolveWithHighs(model->model, options);
    EXPECT_TRUE(solution.ok()) << solution.status();
    if (!solution.ok()) return 0;
    // Where no plan fits, prices grow without end.
    if (solution->status == SolveStatus::kInfeasible) continue;
    EXPECT_NEAR(by_cut, solution->bound / kModelTime, 2e-6);
    EXPECT_LE(by_cut, solution->bound / kModelTime + 1e-8);
    extra += by_cut > 1.0001;
  }
  return extra;
}

TEST(MinCutTest, EqualsTheLinearModel) {
  int extra = 0;
  for (uint64_t seed = 1; seed <= 30; ++seed) {
    SCOPED_TRACE(absl::StrCat("seed ", seed));
    const config::GraphFile file = RandomTrainingGraph({.seed = seed, .layers = 2 + static_cast<int>(seed % 6)});
    for (const double share : {0.9, 0.7, 0.5}) extra += Compare(file, share, 3);
  }
  EXPECT_GT(extra, 100);
}

TEST(MinCutTest, EqualsTheLinearModelOfSyntheticGraphs) {
  for (const char* name : {"vgg16_b256", "unet_b32", "mobilenet_b512", "resnet50_b256"}) {
    const std::string path = SharedData(absl::StrCat("planning_graphs/", name, ".json"));
    if (path.empty()) GTEST_SKIP() << kNoSharedData;
    SCOPED_TRACE(name);
    const absl::StatusOr<config::GraphFile> file = ReadAnyGraph(path, kDefaultCostUnit);
    ASSERT_TRUE(file.ok()) << file.status();
    EXPECT_GT(Compare(*file, 0.7, 9), 0);
  }
}

}  // namespace
}  // namespace str::optimizer
