// The lean evaluator against the exact one, which runs the judge's engine on the program that the decisions make.
#include "strategies/str/lean_evaluator.h"

#include <random>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "optimizer/graph/graph.h"
#include "optimizer/simulator/program.h"
#include "optimizer/testing/graph_builder.h"
#include "optimizer/testing/program_text.h"
#include "optimizer/testing/training_graph.h"
#include "strategies/str/evaluator.h"

namespace str::strategies {
namespace {

struct Case {
  explicit Case(uint64_t seed, int layers)
      : file(optimizer::RandomTrainingGraph({.seed = seed, .layers = layers})),
        graph(*optimizer::Graph::FromFile(file)),
        costs(optimizer::MeasuredCosts(file)),
        problem(&graph, &costs, optimizer::CapturedOrder(graph), ProblemOptions()),
        model(&problem) {}

  Decisions Random(std::mt19937_64* random) const {
    Decisions decisions = problem.KeepEverything();
    const uint64_t one_in = 2 + (*random)() % 6;
    for (size_t u = 0; u < decisions.size(); ++u) {
      const Mode mode = static_cast<Mode>((*random)() % 4);
      if ((*random)() % one_in == 0 && problem.Allows(problem.units()[u], mode)) decisions[u] = mode;
    }
    return decisions;
  }

  const config::GraphFile file;
  const optimizer::Graph graph;
  const optimizer::Costs costs;
  const Problem problem;
  const LeanModel model;
};

TEST(LeanEvaluatorTest, CondensesStagesThatDecideNothing) {
  const Case c(1, 12);
  EXPECT_LE(c.model.stages(), c.problem.stages());
  double seconds = 0;
  for (int t = 0; t < c.model.stages(); ++t) seconds += c.model.stage(t).seconds;
  EXPECT_NEAR(seconds, c.problem.compute_seconds(), 1e-12);
}

TEST(LeanEvaluatorTest, KeepingEverythingIsExact) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    const Case c(seed, 3 + static_cast<int>(seed % 9));
    const Evaluation exact = Evaluator(&c.problem).Evaluate(c.problem.KeepEverything(), 0);
    const Evaluation lean = LeanEvaluator(&c.model, false).Evaluate(c.problem.KeepEverything(), 0);
    EXPECT_EQ(lean.tight_peak_bytes, exact.tight_peak_bytes);
    EXPECT_NEAR(lean.seconds, exact.seconds, 1e-12);
  }
}

// A storage too small to be decided, which a rerun takes after its last use, is there until then.
TEST(LeanEvaluatorTest, RerunsKeepWhatIsNotDecidedAlive) {
  optimizer::GraphBuilder b;
  b.Add("small", {}, {600}, 1);
  b.Add("large", {"small:0"}, {10000}, 1);
  b.Add("use", {"large:0"}, {2000}, 1);
  b.Add("peak", {"use:0"}, {20000}, 1);
  b.Add("end", {"peak:0"}, {2000}, 1);
  b.Add("last", {"end:0", "large:0"}, {2000}, 1);
  const optimizer::Graph graph = b.Build();
  const optimizer::Costs costs = optimizer::MeasuredCosts(b.file());
  ProblemOptions options;
  options.peak_bytes = 100000;
  const Problem problem(&graph, &costs, optimizer::CapturedOrder(graph), options);
  const optimizer::TensorId small = graph.node(graph.FindNode("small")).first_tensor;
  ASSERT_EQ(problem.storage_of(small), optimizer::kNone);
  const LeanModel model(&problem);
  Decisions decisions = problem.KeepEverything();
  const Storage& large = problem.storages()[problem.storage_of(graph.node(graph.FindNode("large")).first_tensor)];
  decisions[large.first_unit] = Mode::kRecompute;
  const Evaluation lean = LeanEvaluator(&model, false).Evaluate(decisions, 0);
  EXPECT_EQ(lean.tight_peak_bytes, 600 + 2000 + 20000);
  EXPECT_EQ(lean.tight_peak_bytes, Evaluator(&problem).Evaluate(decisions, 0).tight_peak_bytes);
}

// Random decisions. The peak may be overestimated where several inputs could hand over their buffers, and
// underestimated a little where a rerun reads a variable after its update, which then needs a copy. The time leaves out
// reruns of views and, where buffers are taken over, may hide copies a little less.
TEST(LeanEvaluatorTest, AgreesWithTheJudgesEngine) {
  int cases = 0, equal_peaks = 0, equal_times = 0;
  double least = 1;
  for (uint64_t seed = 1; seed <= 150; ++seed) {
    SCOPED_TRACE(absl::StrCat("seed ", seed));
    const Case c(seed, 2 + static_cast<int>(seed % 12));
    std::mt19937_64 random(seed);
    Evaluator exact_evaluator(&c.problem);
    LeanEvaluator lean_evaluator(&c.model, /*count_host_bytes=*/true);
    for (int i = 0; i < 10; ++i) {
      const Decisions decisions = c.Random(&random);
      const int64_t budget = c.model.peak_bytes() * static_cast<int64_t>(50 + random() % 50) / 100;
      const Evaluation exact = exact_evaluator.Evaluate(decisions, budget);
      const Evaluation lean = lean_evaluator.Evaluate(decisions, budget);
      if (!exact.valid || !lean.valid) continue;
      ++cases;
      least = std::min(least, static_cast<double>(lean.tight_peak_bytes) / static_cast<double>(exact.tight_peak_bytes));
      equal_peaks += lean.tight_peak_bytes == exact.tight_peak_bytes;
      if (exact.tight_peak_bytes > budget || lean.tight_peak_bytes > budget) continue;
      EXPECT_NEAR(lean.seconds, exact.seconds, 0.05 * exact.seconds);
      equal_times += std::abs(lean.seconds - exact.seconds) <= 1e-9 * exact.seconds;
    }
  }
  std::printf("%d cases, %d with equal peaks, %d that fit with equal times; least lean / exact peak %.4f\n", cases,
              equal_peaks, equal_times, least);
  EXPECT_GT(cases, 1000);
  EXPECT_GT(equal_peaks, cases / 2);
  EXPECT_GT(least, 0.9);
}

}  // namespace
}  // namespace str::strategies
