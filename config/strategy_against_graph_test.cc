#include "config/strategy_against_graph.h"

#include "config/graph_validator.h"
#include "config/status_testing.h"
#include "config/strategy_validator.h"
#include "config/test_examples.h"
#include "gtest/gtest.h"

namespace str::config {
namespace {

class StrategyAgainstGraphTest : public ::testing::Test {
 protected:
  // Both must be fine by themselves: what is refused is their not fitting together.
  ::testing::AssertionResult Refused(absl::string_view part) {
    if (absl::Status valid = ValidateGraph(graph_); !valid.ok()) return ::testing::AssertionFailure() << valid;
    if (absl::Status valid = ValidateStrategy(strategy_); !valid.ok()) return ::testing::AssertionFailure() << valid;
    return IsError(CheckStrategyAgainstGraph(strategy_, graph_), absl::StatusCode::kFailedPrecondition, part);
  }

  GraphFile graph_ = ExampleGraph();
  StrategyFile strategy_ = ExampleStrategy();
};

TEST_F(StrategyAgainstGraphTest, ExampleFits) { EXPECT_OK(CheckStrategyAgainstGraph(strategy_, graph_)); }

TEST_F(StrategyAgainstGraphTest, FingerprintWithTheFirstDifference) {
  strategy_.set_graph_fingerprint("ffffffffffffffff");
  EXPECT_TRUE(Refused("made for another graph (fingerprint ffffffffffffffff, this one has 0123456789abcdef)"));
  EXPECT_TRUE(Refused("so operations or edges differ"));
  MutableNode(&graph_, "b")->mutable_output(0)->set_dim(0, 4);
  EXPECT_TRUE(
      Refused("first difference: step 3 (run \"b\"): output 0 is float[4,16] in the graph, float[8,16] in the "
              "strategy"));
  graph_.clear_fingerprint();
  EXPECT_TRUE(Refused("this one has none"));
}

TEST_F(StrategyAgainstGraphTest, TensorflowVersion) {
  strategy_.set_tensorflow_version("2.20.0");
  EXPECT_TRUE(Refused("made with TensorFlow 2.20.0, the graph comes from TensorFlow 2.21.0"));
  strategy_.clear_tensorflow_version();
  EXPECT_OK(CheckStrategyAgainstGraph(strategy_, graph_));
}

TEST_F(StrategyAgainstGraphTest, NodesExist) {
  strategy_.add_step()->set_run("stranger");
  EXPECT_TRUE(Refused("step 12 (run \"stranger\"): the graph has no node \"stranger\""));
}

TEST_F(StrategyAgainstGraphTest, SwappedOutputsExist) {
  strategy_.add_step()->set_swap_out("b:1");
  EXPECT_TRUE(Refused("step 12 (swap_out \"b:1\"): the node has 1 outputs"));
}

TEST_F(StrategyAgainstGraphTest, OutputsAreTheSame) {
  strategy_.mutable_step(5)->set_output(0, "double[]");
  EXPECT_TRUE(Refused("step 6 (run \"sum\"): output 0 is float[] in the graph, double[] in the strategy"));
  strategy_.mutable_step(5)->clear_output();
  EXPECT_TRUE(Refused("step 6 (run \"sum\"): the node has 1 outputs in the graph, the strategy lists 0"));
}

TEST_F(StrategyAgainstGraphTest, EveryNodeIsRun) {
  strategy_.mutable_step()->RemoveLast();
  EXPECT_TRUE(Refused("node \"update\" of the graph is never run"));
  MutableNode(&graph_, "update")->set_recompute(RECOMPUTE_CONTROL_FLOW);
  EXPECT_OK(CheckStrategyAgainstGraph(strategy_, graph_));
}

TEST_F(StrategyAgainstGraphTest, ExternalNodesMayBeRun) {
  StrategyFile longer = strategy_;
  longer.clear_step();
  Step* step = longer.add_step();
  step->set_run("x");
  step->add_output("float[8,16]");
  longer.MergeFrom(strategy_);
  EXPECT_OK(CheckStrategyAgainstGraph(longer, graph_));
}

TEST_F(StrategyAgainstGraphTest, DataOrder) {
  strategy_.mutable_step()->SwapElements(0, 1);
  EXPECT_TRUE(Refused("step 1 (run \"a\"): runs before \"read\", which its input \"read:0\" needs"));
}

TEST_F(StrategyAgainstGraphTest, ControlOrder) {
  strategy_.mutable_step()->SwapElements(5, 9);
  EXPECT_TRUE(Refused("(run \"grad\"): "));
  MutableNode(&graph_, "sum")->clear_input();
  strategy_ = ExampleStrategy();
  // run sum moves behind run grad.
  for (int i = 5; i < 9; ++i) strategy_.mutable_step()->SwapElements(i, i + 1);
  EXPECT_TRUE(Refused("step 9 (run \"grad\"): runs before \"sum\", which its control \"sum\" needs"));
}

TEST_F(StrategyAgainstGraphTest, OrderThroughNodesThatAreLeftOut) {
  // read -> x -> a once x takes a control edge: x is external and not in the program.
  MutableNode(&graph_, "a")->mutable_input()->RemoveLast();
  MutableNode(&graph_, "x")->add_control("read");
  graph_.mutable_node()->SwapElements(0, 2);
  graph_.mutable_node()->SwapElements(0, 1);
  strategy_.mutable_step()->SwapElements(0, 1);
  EXPECT_TRUE(Refused("step 1 (run \"a\"): runs before \"read\", which its input \"x:0\" needs"));
}

TEST_F(StrategyAgainstGraphTest, RerunsAreAllowed) {
  strategy_.add_step()->set_rerun("sum");
  EXPECT_TRUE(Refused("step 12 (rerun \"sum\"): the node must not be run again: RECOMPUTE_STATEFUL"));
}

TEST_F(StrategyAgainstGraphTest, TakenWhileOnlyTheHostHasIt) {
  // Without the swap_in.
  strategy_.mutable_step()->DeleteSubrange(7, 1);
  EXPECT_TRUE(Refused("step 8 (rerun \"c\"): takes \"b:0\", which was swapped out and not brought back"));
}

TEST_F(StrategyAgainstGraphTest, CutOffStrategyIsRefused) {
  const int steps = strategy_.step_size();
  for (int kept = 1; kept < steps; ++kept) {
    strategy_ = ExampleStrategy();
    strategy_.mutable_step()->DeleteSubrange(kept, steps - kept);
    EXPECT_TRUE(Refused("is never run; is the strategy cut off?")) << kept;
  }
}

}  // namespace
}  // namespace str::config
