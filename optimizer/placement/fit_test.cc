#include "optimizer/placement/fit.h"

#include "gtest/gtest.h"
#include "optimizer/testing/graph_builder.h"
#include "optimizer/testing/program_text.h"
#include "optimizer/testing/training_graph.h"

namespace str::optimizer {
namespace {

TEST(FitTest, CountsTheArenaAndWhatLiesBesideIt) {
  GraphBuilder b(/*external_bytes=*/1000);
  b.Add("x", {}, {100000});
  b.Add("y", {"x:0"}, {70000, 500});
  b.Add("z", {"y:0", "y:1"}, {100000})->set_temporary_bytes(300);
  b.AddResult("r", "z:0");
  const Graph graph = b.Build();
  const absl::StatusOr<Fit> fit = FitProgram(graph, MeasuredCosts(b.file()), ParseProgram(graph, "x y z"));
  ASSERT_TRUE(fit.ok()) << fit.status();
  // Placed are x and y:0, which meet; beside them at most: external, y:1, the result z and the temporary.
  EXPECT_EQ(fit->placement.arena_bytes, 170000);
  EXPECT_EQ(fit->fit_bytes, 170000 + 1000 + 500 + 100000 + 300);
  EXPECT_EQ(fit->verdict.peak_bytes(), 1000 + 70000 + 500 + 100000 + 300);

  config::StrategyFile strategy;
  for (int i = 0; i < 3; ++i) strategy.add_step();
  WritePlaces(*fit, &strategy);
  EXPECT_EQ(strategy.arena_bytes(), 170000);
  ASSERT_EQ(strategy.step(1).place_size(), 1);
  EXPECT_EQ(strategy.step(1).place(0).bytes(), 70000);
  EXPECT_EQ(strategy.step(2).place_size(), 0);
}

TEST(FitTest, IsNeverBelowThePeakAndSeldomFarAbove) {
  for (uint64_t seed = 1; seed <= 30; ++seed) {
    SCOPED_TRACE(seed);
    TrainingGraphOptions options;
    options.seed = seed;
    const config::GraphFile file = RandomTrainingGraph(options);
    const absl::StatusOr<Graph> graph = Graph::FromFile(file);
    ASSERT_TRUE(graph.ok());
    const absl::StatusOr<Fit> fit = FitProgram(*graph, MeasuredCosts(file), KeepAll(*graph, CapturedOrder(*graph)));
    ASSERT_TRUE(fit.ok()) << fit.status();
    EXPECT_GE(fit->fit_bytes, fit->verdict.peak_bytes());
    EXPECT_LE(fit->fit_bytes, fit->verdict.peak_bytes() * 1.1);
  }
}

}  // namespace
}  // namespace str::optimizer
