#include "optimizer/simulator/program_file.h"

#include "config/strategy_against_graph.h"
#include "config/strategy_validator.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "optimizer/testing/graph_builder.h"
#include "optimizer/testing/program_text.h"

namespace str::optimizer {
namespace {

using ::testing::HasSubstr;

TEST(ProgramFileTest, WritesAndReadsTheSameProgram) {
  GraphBuilder b;
  b.Add("x", {}, {100});
  b.Add("a", {"x:0"}, {1});
  b.Add("end", {"a:0", "x:0"}, {1});
  const Graph graph = b.Build();
  const Program program = ParseProgram(graph, "x out:x:0 a wait:x:0 in:x:0 again:a end");
  config::StrategyFile strategy;
  strategy.set_format_version(1);
  strategy.set_graph_fingerprint(b.file().fingerprint());
  WriteSteps(b.file(), graph, program, &strategy);
  EXPECT_TRUE(config::ValidateStrategy(strategy).ok()) << config::ValidateStrategy(strategy);
  EXPECT_TRUE(config::CheckStrategyAgainstGraph(strategy, b.file()).ok())
      << config::CheckStrategyAgainstGraph(strategy, b.file());
  EXPECT_EQ(strategy.step(0).output(0), "uint8[100]");

  const absl::StatusOr<Program> read = ProgramFromStrategy(graph, strategy);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(ProgramText(graph, *read), ProgramText(graph, program));

  EXPECT_EQ(strategy.step(1).tier(), config::TIER_HOST);
  const Program to_disk = ParseProgram(graph, "x disk:x:0 a wait:x:0 in:x:0 again:a end");
  WriteSteps(b.file(), graph, to_disk, &strategy);
  EXPECT_EQ(strategy.step(1).tier(), config::TIER_DISK);
  EXPECT_TRUE(config::ValidateStrategy(strategy).ok()) << config::ValidateStrategy(strategy);
  EXPECT_EQ(*ProgramFromStrategy(graph, strategy), to_disk);

  strategy.mutable_step(4)->set_swap_in("x:7");
  EXPECT_THAT(ProgramFromStrategy(graph, strategy).status().message(), HasSubstr("step 5"));
  strategy.mutable_step(4)->set_run("nowhere");
  EXPECT_THAT(ProgramFromStrategy(graph, strategy).status().message(), HasSubstr("nowhere"));
}

}  // namespace
}  // namespace str::optimizer
