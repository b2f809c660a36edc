// When copies start and are waited for. A byte takes a nanosecond to copy; times are in nanoseconds.
#include "strategies/str/composer.h"

#include "gtest/gtest.h"
#include "optimizer/testing/graph_builder.h"
#include "optimizer/testing/program_text.h"
#include "strategies/str/evaluator.h"

namespace str::strategies {
namespace {

using optimizer::Costs;
using optimizer::Graph;
using optimizer::GraphBuilder;

constexpr int64_t kLarge = 1000000;

// x is made, used by a, and needed again by end. Between them five nodes of half the time that a copy takes, each of
// which has an output of `middle_bytes`.
GraphBuilder Gap(int64_t middle_bytes) {
  GraphBuilder b;
  b.Add("x", {}, {kLarge}, 10);
  b.Add("a", {"x:0"}, {100}, kLarge / 2);
  std::string last = "a:0";
  for (const char* name : {"m1", "m2", "m3", "m4", "m5"}) {
    b.Add(name, {last}, {middle_bytes}, kLarge / 2);
    last = std::string(name) + ":0";
  }
  b.Add("end", {last, "x:0"}, {100}, 10);
  return b;
}

struct Composed {
  std::string tight, chosen;
  Evaluation evaluation;
};

// x swapped, everything else kept.
Composed Compose(GraphBuilder& builder, int64_t budget) {
  const Graph graph = builder.Build();
  const Costs costs = optimizer::MeasuredCosts(builder.file());
  const Problem problem(&graph, &costs, optimizer::CapturedOrder(graph), ProblemOptions());
  Decisions decisions(problem.units().size(), Mode::kKeep);
  for (size_t u = 0; u < problem.units().size(); ++u) {
    if (problem.units()[u].storage == problem.storage_of(0)) decisions[u] = Mode::kSwap;
  }
  Evaluator evaluator(&problem);
  Composed composed;
  composed.evaluation = evaluator.Evaluate(decisions, budget);
  composed.tight = ProgramText(graph, evaluator.tight_program());
  composed.chosen = ProgramText(graph, evaluator.program());
  return composed;
}

TEST(ComposerTest, TheTightProgramWaitsAtOnceAndFetchesLast) {
  GraphBuilder b = Gap(100);
  EXPECT_EQ(Compose(b, 2 * kLarge).tight, "x out:x:0 a wait:x:0 m1 m2 m3 m4 m5 in:x:0 end");
}

TEST(ComposerTest, WithEnoughMemoryTheFetchStartsJustInTimeAndNobodyWaits) {
  GraphBuilder b = Gap(100);
  const Composed composed = Compose(b, 2 * kLarge);
  // m4 and m5 take as long as the copy in. The wait is due before the fetch of the same tensor.
  EXPECT_EQ(composed.chosen, "x out:x:0 a m1 m2 m3 wait:x:0 in:x:0 m4 m5 end");
  EXPECT_NEAR(composed.evaluation.seconds * 1e9, 3 * kLarge + 20, 1);
}

TEST(ComposerTest, TheWaitComesWhenMemoryIsNeeded) {
  GraphBuilder b = Gap(100);
  // m3 alone needs the room that x leaves.
  b.file().mutable_node(4)->set_temporary_bytes(kLarge);
  const Composed composed = Compose(b, kLarge + 1000);
  EXPECT_EQ(composed.chosen, "x out:x:0 a m1 m2 wait:x:0 m3 in:x:0 m4 m5 end");
  EXPECT_LE(composed.evaluation.peak_bytes, kLarge + 1000);
}

TEST(ComposerTest, TheFetchIsLateWhereMemoryIsShort) {
  GraphBuilder b = Gap(100);
  b.file().mutable_node(6)->set_temporary_bytes(kLarge);
  const Composed composed = Compose(b, kLarge + 1000);
  EXPECT_EQ(composed.chosen, "x out:x:0 a m1 m2 m3 m4 wait:x:0 m5 in:x:0 end");
  // The copy in cannot be hidden.
  EXPECT_NEAR(composed.evaluation.seconds * 1e9, 4 * kLarge + 20, 1);
}

}  // namespace
}  // namespace str::strategies
