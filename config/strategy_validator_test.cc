#include "config/strategy_validator.h"

#include <cstdint>
#include <limits>

#include "config/status_testing.h"
#include "config/test_examples.h"
#include "gtest/gtest.h"

namespace str::config {
namespace {

class ValidateStrategyTest : public ::testing::Test {
 protected:
  ::testing::AssertionResult Refused(absl::string_view part) { return IsInvalid(ValidateStrategy(strategy_), part); }

  StrategyFile strategy_ = ExampleStrategy();
};

TEST_F(ValidateStrategyTest, ExampleIsValid) { EXPECT_OK(ValidateStrategy(strategy_)); }

TEST_F(ValidateStrategyTest, AsManyStepsAsItSays) {
  strategy_.set_step_count(strategy_.step_size());
  EXPECT_OK(ValidateStrategy(strategy_));
  strategy_.mutable_step()->RemoveLast();
  EXPECT_TRUE(Refused("step_count is 11, but there are 10 steps: the file is cut off"));
}

TEST_F(ValidateStrategyTest, FileFields) {
  strategy_.set_format_version(0);
  EXPECT_TRUE(Refused("format_version is 0; this version of STR reads 1: plan again"));
  strategy_ = ExampleStrategy();
  strategy_.set_graph_fingerprint("0123");
  EXPECT_TRUE(Refused("graph_fingerprint \"0123\" is not 16 hex digits"));
  strategy_ = ExampleStrategy();
  strategy_.set_budget_bytes(-1);
  EXPECT_TRUE(Refused("budget_bytes is negative: -1"));
  strategy_ = ExampleStrategy();
  strategy_.set_predicted_peak_bytes(-1);
  EXPECT_TRUE(Refused("predicted_peak_bytes is negative"));
  strategy_ = ExampleStrategy();
  strategy_.set_arena_bytes(-1);
  EXPECT_TRUE(Refused("arena_bytes is negative"));
  strategy_ = ExampleStrategy();
  strategy_.set_external_bytes(-1);
  EXPECT_TRUE(Refused("external_bytes is negative"));
  strategy_ = ExampleStrategy();
  strategy_.set_predicted_step_seconds(std::numeric_limits<double>::quiet_NaN());
  EXPECT_TRUE(Refused("predicted_step_seconds is not a time: nan"));
  strategy_ = ExampleStrategy();
  strategy_.set_baseline_step_seconds(std::numeric_limits<double>::infinity());
  EXPECT_TRUE(Refused("baseline_step_seconds is not a time: inf"));
  strategy_ = ExampleStrategy();
  strategy_.set_bound_seconds(-1);
  EXPECT_TRUE(Refused("bound_seconds is not a time: -1"));
  strategy_ = ExampleStrategy();
  strategy_.clear_step();
  EXPECT_TRUE(Refused("the strategy has no steps"));
}

TEST_F(ValidateStrategyTest, StepsAreNamedByNumberAndText) {
  strategy_.mutable_step(4)->set_run("b");
  EXPECT_TRUE(Refused("step 5 (run \"b\"): the node was run before; a second time is a rerun"));
  strategy_.mutable_step(4)->set_swap_in("a:0");
  strategy_.mutable_step(4)->clear_output();
  EXPECT_TRUE(Refused("step 5 (swap_in \"a:0\"): the tensor has not been swapped out before"));
  strategy_.mutable_step(4)->set_swap_out_wait("a:0");
  EXPECT_TRUE(Refused("step 5 (swap_out_wait \"a:0\"): no swap_out of the tensor is open"));
  strategy_.mutable_step(4)->set_swap_out("c:0");
  EXPECT_TRUE(Refused("step 5 (swap_out \"c:0\"): node \"c\" has not been run before"));
  strategy_.mutable_step(4)->set_rerun("c");
  EXPECT_TRUE(Refused("step 5 (rerun \"c\"): the node has not been run before"));
  strategy_.mutable_step(4)->clear_action();
  EXPECT_TRUE(Refused("step 5: has no action: one of run, rerun, swap_out, swap_out_wait, swap_in"));
}

TEST_F(ValidateStrategyTest, OnlyARunListsOutputs) {
  strategy_.mutable_step(8)->add_output("float[?]");
  EXPECT_TRUE(Refused("step 9 (rerun \"c\"): lists outputs; only a run has them"));
}

TEST_F(ValidateStrategyTest, OnlyASwapOutHasATier) {
  int swap_out = 0;
  while (!strategy_.step(swap_out).has_swap_out()) ++swap_out;
  strategy_.mutable_step(swap_out)->set_tier(TIER_DISK);
  EXPECT_OK(ValidateStrategy(strategy_));
  strategy_.mutable_step(swap_out)->set_tier(static_cast<Tier>(7));
  EXPECT_TRUE(Refused("tier 7 is not known to this version of STR"));
  strategy_.mutable_step(swap_out)->clear_tier();
  strategy_.mutable_step(0)->set_tier(TIER_DISK);
  EXPECT_TRUE(Refused("has a tier; only a swap_out has one"));
}

TEST_F(ValidateStrategyTest, Places) {
  Place* place = strategy_.mutable_step(9)->mutable_place(0);
  EXPECT_EQ(place->offset() + place->bytes(), strategy_.arena_bytes());
  place->set_offset(1025);
  EXPECT_TRUE(
      Refused("step 10 (run \"grad\"): place of 1024 bytes at offset 1025 ends behind the arena of 2048 bytes"));
  place->set_offset(std::numeric_limits<int64_t>::max());
  EXPECT_TRUE(Refused("ends behind the arena"));
  place->set_offset(-1);
  EXPECT_TRUE(Refused("the offset is negative"));
  place->set_offset(0);
  place->set_bytes(std::numeric_limits<int64_t>::max());
  EXPECT_TRUE(Refused("ends behind the arena"));
  place->set_bytes(0);
  EXPECT_TRUE(Refused("bytes must be positive"));
}

}  // namespace
}  // namespace str::config
