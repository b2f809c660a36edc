#include "config/strategy_changes.h"

#include "gtest/gtest.h"

namespace str::config {
namespace {

TEST(StrategyChangesTest, EachExtraRunAndEachCopyCounts) {
  StrategyFile strategy;
  strategy.add_step()->set_run("a");
  for (int i = 0; i < 2; ++i) {
    strategy.add_step()->set_swap_out("a:0");
    strategy.add_step()->set_swap_out_wait("a:0");
    strategy.add_step()->set_swap_in("a:0");
  }
  strategy.mutable_step(1)->set_tier(TIER_DISK);
  strategy.add_step()->set_swap_in("a:0");
  strategy.add_step()->set_rerun("a");
  strategy.add_step()->set_rerun("a");
  const StrategyChanges changes = CountChanges(strategy);
  EXPECT_EQ(changes.swapped_tensors, 2);
  EXPECT_EQ(changes.disk_tensors, 1);
  EXPECT_EQ(changes.swap_ins, 3);
  EXPECT_EQ(changes.recomputed_nodes, 2) << "runs, not different nodes";
}

TEST(StrategyChangesTest, NothingChanges) {
  StrategyFile strategy;
  strategy.add_step()->set_run("a");
  const StrategyChanges changes = CountChanges(strategy);
  EXPECT_EQ(changes.swapped_tensors + changes.disk_tensors + changes.swap_ins + changes.recomputed_nodes, 0);
}

}  // namespace
}  // namespace str::config
