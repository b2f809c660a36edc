#include "optimizer/simulator/judge.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "optimizer/testing/graph_builder.h"
#include "optimizer/testing/program_text.h"
#include "optimizer/testing/training_graph.h"

namespace str::optimizer {
namespace {

using ::testing::HasSubstr;

absl::StatusOr<Verdict> JudgeText(GraphBuilder& builder, absl::string_view text) {
  const Graph graph = builder.Build();
  return Judge(graph, MeasuredCosts(builder.file()), ParseProgram(graph, text));
}

TEST(JudgeTest, ListsWhatIsLiveAtThePeakLargestFirst) {
  GraphBuilder b(/*external_bytes=*/5);
  b.Add("x", {}, {10});
  b.Add("y", {}, {100})->set_temporary_bytes(20);
  b.Add("end", {"x:0", "y:0"}, {1});
  const absl::StatusOr<Verdict> verdict = JudgeText(b, "x y end");
  ASSERT_TRUE(verdict.ok()) << verdict.status();
  EXPECT_EQ(verdict->peak_bytes(), 135);
  EXPECT_EQ(verdict->simulation.peak_step, 1);
  ASSERT_EQ(verdict->simulation.live.size(), 3u);
  EXPECT_EQ(verdict->simulation.live[0].rounded_bytes, 100);
  EXPECT_EQ(verdict->simulation.live[1].tensor, kNone);
  EXPECT_EQ(verdict->simulation.live[1].rounded_bytes, 20);
  EXPECT_EQ(verdict->simulation.live[2].rounded_bytes, 10);
}

TEST(JudgeTest, CountsWhatTheProgramDoes) {
  GraphBuilder b;
  b.Add("x", {}, {10});
  b.AddView("v", "x:0", 10);
  b.Add("y", {"v:0"}, {20});
  b.Add("end", {"y:0", "v:0"}, {1});
  const absl::StatusOr<Verdict> verdict = JudgeText(b, "x out:x:0 v y wait:x:0 in:x:0 again:v again:y end");
  ASSERT_TRUE(verdict.ok()) << verdict.status();
  EXPECT_EQ(verdict->counts.swapped_bytes, 10);
  EXPECT_EQ(verdict->counts.swapped_tensors, 1);
  EXPECT_EQ(verdict->counts.recomputed_nodes, 2);
  EXPECT_EQ(verdict->counts.tensors_decided, 2);
}

TEST(JudgeTest, RefusesWrongProgramsByStep) {
  GraphBuilder b;
  b.AddArgument("arg", 1);
  b.Add("x", {"arg:0"}, {10});
  b.Add("y", {}, {10})->add_control("x");
  b.Add("outside", {"y:0"}, {10})->set_recompute(config::RECOMPUTE_EXTERNAL);
  b.Add("random", {"outside:0"}, {1})->set_recompute(config::RECOMPUTE_RANDOM);
  EXPECT_TRUE(JudgeText(b, "x y random").ok());
  EXPECT_THAT(JudgeText(b, "x random y").status().message(), HasSubstr("step 2 (run \"random\"): runs before \"y\""));
  EXPECT_THAT(JudgeText(b, "y x random").status().message(), HasSubstr("step 1 (run \"y\"): runs before \"x\""));
  EXPECT_THAT(JudgeText(b, "x y").status().message(), HasSubstr("\"random\" is never run"));
  EXPECT_THAT(JudgeText(b, "x x y random").status().message(), HasSubstr("a second time is a rerun"));
  EXPECT_THAT(JudgeText(b, "again:x x y random").status().message(), HasSubstr("has not been run before"));
  EXPECT_THAT(JudgeText(b, "arg x y random").status().message(), HasSubstr("not in a program"));
  EXPECT_THAT(JudgeText(b, "x y random again:random").status().message(), HasSubstr("RECOMPUTE_RANDOM"));
}

TEST(JudgeTest, AccountsForEveryByteOfRandomTrainingGraphs) {
  for (uint64_t seed = 1; seed <= 30; ++seed) {
    SCOPED_TRACE(seed);
    TrainingGraphOptions options;
    options.seed = seed;
    const config::GraphFile file = RandomTrainingGraph(options);
    const absl::StatusOr<Graph> graph = Graph::FromFile(file);
    ASSERT_TRUE(graph.ok());
    const absl::StatusOr<Verdict> verdict = Judge(*graph, MeasuredCosts(file), KeepAll(*graph, CapturedOrder(*graph)));
    ASSERT_TRUE(verdict.ok()) << verdict.status();
    // The profile is what the allocations say, beside what is external.
    std::vector<int64_t> sum(verdict->simulation.profile.size(), graph->external_bytes());
    for (const Allocation& allocation : verdict->simulation.allocations) {
      for (int i = allocation.first_step; i <= allocation.last_step; ++i) sum[i] += allocation.rounded_bytes;
    }
    EXPECT_EQ(sum, verdict->simulation.profile);
    int64_t live = graph->external_bytes();
    for (const LiveBuffer& buffer : verdict->simulation.live) live += buffer.rounded_bytes;
    EXPECT_EQ(live, verdict->peak_bytes());
  }
}

}  // namespace
}  // namespace str::optimizer
