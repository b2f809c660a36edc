#include "config/step_text.h"

#include "gtest/gtest.h"

namespace str::config {
namespace {

TEST(StepTextTest, EveryAction) {
  StrategyFile strategy;
  strategy.add_step()->set_run("a");
  strategy.add_step()->set_rerun("a");
  strategy.add_step()->set_swap_out("a:0");
  strategy.add_step()->set_swap_out_wait("a:0");
  strategy.add_step()->set_swap_in("a:0");
  strategy.add_step();
  EXPECT_EQ(StepText(strategy, 0), "step 1 (run \"a\")");
  EXPECT_EQ(StepText(strategy, 1), "step 2 (rerun \"a\")");
  EXPECT_EQ(StepText(strategy, 2), "step 3 (swap_out \"a:0\")");
  EXPECT_EQ(StepText(strategy, 3), "step 4 (swap_out_wait \"a:0\")");
  EXPECT_EQ(StepText(strategy, 4), "step 5 (swap_in \"a:0\")");
  EXPECT_EQ(StepText(strategy, 5), "step 6");
  EXPECT_EQ(StepTarget(strategy.step(3)), "a:0");
  EXPECT_EQ(StepTarget(strategy.step(5)), "");
}

}  // namespace
}  // namespace str::config
