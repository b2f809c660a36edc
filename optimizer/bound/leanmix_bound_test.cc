#include "optimizer/bound/leanmix_bound.h"

#include <cstdlib>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "optimizer/bound/leanmix_model.h"
#include "optimizer/bound/pieces.h"
#include "optimizer/bound/single_cut.h"
#include "optimizer/bound/step_bound.h"
#include "optimizer/ilp/highs_solver.h"
#include "optimizer/importers/graph_reader.h"
#include "optimizer/simulator/judge.h"
#include "optimizer/testing/graph_builder.h"
#include "optimizer/testing/program_text.h"
#include "optimizer/testing/shared_data.h"
#include "optimizer/testing/training_graph.h"
#include "strategies/registry.h"

namespace str::optimizer {
namespace {

double Bound(const Graph& graph, const Costs& costs, const std::vector<NodeId>& order,
             const LeanMixBoundOptions& options) {
  const absl::StatusOr<LeanMixBound> bound = FindLeanMixBound(graph, costs, order, options);
  EXPECT_TRUE(bound.ok()) << bound.status();
  return bound.ok() ? bound->seconds : 0;
}

// Copies take a nanosecond per byte. With a budget of 112 bytes neither a nor b stays while a big one is there.
class LeanMixBoundTest : public ::testing::Test {
 protected:
  void SetUp() override {
    b_.Add("a", {}, {10}, 20);
    b_.Add("b", {}, {10}, 30);
    b_.Add("big1", {}, {111}, 200);
    b_.Add("s1", {"big1:0"}, {1}, 5);
    b_.Add("use1", {"a:0", "s1:0"}, {1}, 100);
    b_.Add("big2", {"use1:0"}, {111}, 3);
    b_.Add("s2", {"big2:0"}, {1}, 5);
    b_.Add("use2", {"a:0", "b:0", "s2:0"}, {1}, 100);
  }

  // In ns, if a plan of `incumbent` ns is known.
  double Bound(int64_t budget_bytes, bool copies, double incumbent) {
    const Graph graph = b_.Build();
    LeanMixBoundOptions options;
    options.budget_bytes = budget_bytes;
    options.copies = copies;
    options.incumbent_seconds = incumbent * 1e-9;
    return ::str::optimizer::Bound(graph, MeasuredCosts(b_.file()), CapturedOrder(graph), options) * 1e9;
  }

  GraphBuilder b_;
};

TEST_F(LeanMixBoundTest, IsTheNodesOwnTimeWhereEverythingFits) { EXPECT_NEAR(Bound(133, false, 600), 463, 1e-3); }

// One cut sees that a and b are made again after it, but not that a is made again twice.
TEST_F(LeanMixBoundTest, SeesThatSeveralOpsAreCritical) { EXPECT_NEAR(Bound(112, false, 600), 463 + 20 + 50, 1e-2); }

TEST_F(LeanMixBoundTest, IsNotAboveThePlanThatIsKnown) { EXPECT_LE(Bound(112, false, 500), 500); }

// a goes out while b is made and is waited for twice; b is made again while a comes in the second time.
TEST_F(LeanMixBoundTest, CopiesHideBehindOps) { EXPECT_NEAR(Bound(112, true, 600), 463 + 10 + 30, 1e-2); }

// A rerun needs its inputs and its output at once, beside what stays: a is made from in only while big is not there.
TEST_F(LeanMixBoundTest, SeesTheMemoryOfReruns) {
  b_.file().clear_node();
  b_.Add("in", {}, {60}, 10);
  b_.Add("a", {"in:0"}, {40}, 20);
  b_.Add("big", {}, {70}, 100);
  b_.Add("full", {"big:0"}, {1}, 5)->set_temporary_bytes(50);
  b_.Add("use", {"a:0", "big:0", "full:0"}, {1}, 100);
  const Graph graph = b_.Build();
  const CutProblem problem(graph, MeasuredCosts(b_.file()), CapturedOrder(graph), 1);
  LeanMixOptions options;
  options.budget_bytes = 121;
  options.most_extra_seconds = 300e-9;
  options.window = {2, 4};
  LeanMixModel model(&problem, options);
  ASSERT_TRUE(model.fits());
  const auto bound = [&] { return SolveWithHighs(model.model(), {})->bound / kModelTime * 235; };
  EXPECT_NEAR(bound(), 235 + 10 + 20, 1e-3);
  EXPECT_GT(model.AddConflicts(), 0);
  EXPECT_NEAR(bound(), 235 + 10 + 20 + 100, 1e-3);
}

// Nothing else is there while s runs. Then a comes back, and only then the three are made from it again.
TEST_F(LeanMixBoundTest, RerunsWaitForTheirInputs) {
  b_.file().clear_node();
  b_.Add("a", {}, {40}, 100);
  for (const char* name : {"b1", "b2", "b3"}) b_.Add(name, {"a:0"}, {40}, 10);
  b_.Add("other", {}, {1}, 100);
  b_.Add("big", {}, {150}, 100);
  b_.Add("s", {"big:0"}, {1}, 30)->set_temporary_bytes(10);
  b_.Add("use", {"b1:0", "b2:0", "b3:0", "s:0"}, {1}, 100);
  EXPECT_NEAR(Bound(165, true, 700), 460 + 40 + 30, 1e-2);
}

// Both inputs come back, one after the other, before c is made from them again; c itself would take 100.
TEST_F(LeanMixBoundTest, RerunsWaitForAllTheirInputs) {
  b_.file().clear_node();
  b_.Add("a", {}, {40}, 100);
  b_.Add("b", {}, {40}, 100);
  b_.Add("c", {"a:0", "b:0"}, {100}, 10);
  b_.Add("other", {}, {1}, 200);
  b_.Add("big", {}, {180}, 100);
  b_.Add("s", {"big:0"}, {1}, 30)->set_temporary_bytes(9);
  b_.Add("use", {"c:0", "s:0"}, {1}, 100);
  EXPECT_NEAR(Bound(190, true, 900), 640 + 40 + 40 + 10, 1e-2);
}

// No planner's plan may be faster than the bound for its order. A failure prints the seed.
TEST(LeanMixBoundFuzzTest, NoPlanIsFaster) {
  int higher_than_one_cut = 0, plans = 0;
  const uint64_t seeds = std::getenv("STR_LONG_TESTS") != nullptr ? 400 : 6;
  for (uint64_t seed = 1; seed <= seeds; ++seed) {
    const config::GraphFile file = RandomTrainingGraph({.seed = seed, .layers = 2 + static_cast<int>(seed % 4)});
    const Graph graph = *Graph::FromFile(file);
    const Costs costs = MeasuredCosts(file);
    const absl::StatusOr<Verdict> keep = Judge(graph, costs, KeepAll(graph, CapturedOrder(graph)));
    ASSERT_TRUE(keep.ok()) << keep.status();
    for (const char* name : {"str", "recompute-only", "swap-only"}) {
      for (const double share : {0.85, 0.7, 0.55, 0.4}) {
        SCOPED_TRACE(absl::StrCat("seed ", seed, ", ", name, " at ", share));
        strategies::PlanRequest request;
        request.graph = &graph;
        request.costs = &costs;
        request.budget_bytes = static_cast<int64_t>(share * keep->peak_bytes());
        const absl::StatusOr<strategies::PlanResult> result =
            strategies::FindPlanner(name)->Plan(request, nullptr, nullptr);
        ASSERT_TRUE(result.ok()) << result.status();
        if (result->program.empty()) continue;
        const absl::StatusOr<Verdict> verdict = Judge(graph, costs, result->program);
        ASSERT_TRUE(verdict.ok()) << verdict.status();
        LeanMixBoundOptions options;
        options.budget_bytes = request.budget_bytes;
        options.copies = verdict->counts.swapped_tensors > 0;
        // Well above, so that a wrong row would show: the bound is never more than what is known.
        options.incumbent_seconds = 1.2 * verdict->seconds();
        options.lost_seconds = LostSeconds(result->program, verdict->simulation);
        options.time_limit = absl::Seconds(2);
        const double bound = Bound(graph, costs, FirstRuns(result->program), options);
        EXPECT_LE(bound, verdict->seconds());
        StepBoundOptions one_cut;
        one_cut.budget_bytes = options.budget_bytes;
        one_cut.copies = options.copies;
        const absl::StatusOr<StepBound> cut = FindStepBound(graph, costs, FirstRuns(result->program), one_cut);
        ASSERT_TRUE(cut.ok()) << cut.status();
        ++plans;
        higher_than_one_cut += bound > cut->seconds * 1.0001;
      }
    }
  }
  EXPECT_GT(2 * plans, 3 * seeds);
  EXPECT_GT(higher_than_one_cut, 2);
}

struct Published {
  const char* graph;
  // Percent of the peak, and percent over the time with everything kept.
  double budget;
  bool copies;
  double incumbent, bound;
  // Where that plan loses most, and how much: slot and percent.
  std::vector<std::pair<int, double>> lost;
};

// The bounds that docs/certificate.md gives for synthetic graphs, given the best known plans.
TEST(LeanMixBoundFuzzTest, IsAsTightAsDocumented) {
  const Published kPublished[] = {{"vgg16_b256", 70, false, 2.589, 2.588, {}},
                                  {"vgg16_b256", 70, true, 0.532, 0.531, {}},
                                  {"unet_b32", 60, false, 5.45, 5.392, {}},
                                  {"unet_b32", 40, false, 30.87, 30.31, {}},
                                  {"unet_b32", 40, true, 7.18, 6.934, {{40, 3.4}, {45, 3.0}}}};
  for (const Published& published : kPublished) {
    SCOPED_TRACE(absl::StrCat(published.graph, " ", published.budget));
    const std::string path = SharedData(absl::StrCat("planning_graphs/", published.graph, ".json"));
    if (path.empty()) GTEST_SKIP() << kNoSharedData;
    const absl::StatusOr<config::GraphFile> file = ReadAnyGraph(path, kDefaultCostUnit);
    ASSERT_TRUE(file.ok()) << file.status();
    const Graph graph = *Graph::FromFile(*file);
    const Costs costs = MeasuredCosts(*file);
    const Program keep = KeepAll(graph, CapturedOrder(graph));
    const absl::StatusOr<Verdict> verdict = Judge(graph, costs, keep);
    LeanMixBoundOptions options;
    options.budget_bytes = static_cast<int64_t>(verdict->peak_bytes() * published.budget / 100);
    options.copies = published.copies;
    options.incumbent_seconds = (1 + published.incumbent / 100) * verdict->seconds();
    options.lost_seconds.resize(FirstRuns(keep).size());
    for (const auto& [slot, percent] : published.lost) {
      options.lost_seconds[slot] = percent / 100 * verdict->seconds();
    }
    // More would take long.
    if (published.copies) options.enough_seconds = (1 + (published.bound - 0.01) / 100) * verdict->seconds();
    const double bound = Bound(graph, costs, FirstRuns(keep), options);
    const double percent = 100 * (bound / verdict->seconds() - 1);
    EXPECT_GE(percent, published.bound - (published.copies ? 0.012 : 0.002));
    EXPECT_LE(percent, published.copies ? published.incumbent : published.bound + 0.002);
  }
}

}  // namespace
}  // namespace str::optimizer
