// Each memory rule of the judge on a graph of a few nodes; the bytes are worked out by hand in the comments.
#include "gtest/gtest.h"
#include "optimizer/simulator/judge.h"
#include "optimizer/testing/graph_builder.h"
#include "optimizer/testing/program_text.h"

namespace str::optimizer {
namespace {

Simulation Simulate(GraphBuilder& builder, absl::string_view text) {
  const Graph graph = builder.Build();
  absl::StatusOr<Verdict> verdict = Judge(graph, MeasuredCosts(builder.file()), ParseProgram(graph, text));
  EXPECT_TRUE(verdict.ok()) << verdict.status();
  return verdict.ok() ? verdict->simulation : Simulation();
}

std::vector<int64_t> Profile(GraphBuilder& builder, absl::string_view text) { return Simulate(builder, text).profile; }

using Bytes = std::vector<int64_t>;

TEST(SimulatorMemoryTest, OutputsAreAllocatedWhileInputsAreHeld) {
  GraphBuilder b(/*external_bytes=*/1000);
  b.Add("x", {}, {100});
  b.Add("y", {"x:0"}, {10});
  b.Add("z", {"y:0"}, {1});
  // x; x+y, then x goes; y+z.
  EXPECT_EQ(Profile(b, "x y z"), Bytes({1100, 1110, 1011}));
  EXPECT_EQ(Simulate(b, "x y z").peak_step, 1);
}

TEST(SimulatorMemoryTest, RoundsToTheGranule) {
  GraphBuilder b(0, 256);
  b.Add("x", {}, {1})->set_temporary_bytes(257);
  EXPECT_EQ(Profile(b, "x"), Bytes({256 + 512}));
}

TEST(SimulatorMemoryTest, TemporariesCountOnlyWhileTheNodeRuns) {
  GraphBuilder b;
  b.Add("x", {}, {100})->set_temporary_bytes(50);
  b.Add("y", {"x:0"}, {10});
  EXPECT_EQ(Profile(b, "x y"), Bytes({150, 110}));
}

TEST(SimulatorMemoryTest, OutputsNobodyTakesAreFreedAtOnce) {
  GraphBuilder b;
  b.Add("x", {}, {100, 7});
  b.Add("y", {"x:1"}, {10});
  EXPECT_EQ(Profile(b, "x y"), Bytes({107, 17}));
}

TEST(SimulatorMemoryTest, ATensorTakenTwiceByOneNodeIsHeldByBothEdges) {
  GraphBuilder b;
  b.Add("x", {}, {100});
  b.Add("square", {"x:0", "x:0"}, {100})->mutable_output(0)->add_forwards_input(0);
  // Two references, so nothing is taken over.
  EXPECT_EQ(Profile(b, "x square"), Bytes({100, 200}));
}

TEST(SimulatorMemoryTest, ViewsShareTheBufferAndHoldIt) {
  GraphBuilder b;
  b.Add("x", {}, {100});
  b.AddView("v", "x:0", 100);
  b.AddView("vv", "v:0", 100);
  b.Add("y", {}, {10});
  b.Add("z", {"vv:0"}, {1});
  b.Add("last", {"y:0"}, {1});
  EXPECT_EQ(Profile(b, "x v vv y z last"), Bytes({100, 100, 100, 110, 111, 11}));
}

TEST(SimulatorMemoryTest, TakesOverABufferThatNobodyElseHolds) {
  GraphBuilder b;
  b.Add("x", {}, {100});
  b.Add("relu", {"x:0"}, {100})->mutable_output(0)->add_forwards_input(0);
  b.Add("y", {"relu:0"}, {10});
  EXPECT_EQ(Profile(b, "x relu y"), Bytes({100, 100, 110}));
  const Simulation simulation = Simulate(b, "x relu y");
  ASSERT_EQ(simulation.allocations.size(), 2u);
  EXPECT_EQ(simulation.allocations[0].last_step, 2);
  // At the peak the buffer is relu's.
  ASSERT_EQ(simulation.live.size(), 2u);
  EXPECT_EQ(simulation.live[0].tensor, 1);
}

TEST(SimulatorMemoryTest, DoesNotTakeOverWhatIsStillNeeded) {
  GraphBuilder b;
  b.Add("x", {}, {100});
  b.Add("relu", {"x:0"}, {100})->mutable_output(0)->add_forwards_input(0);
  b.Add("y", {"relu:0", "x:0"}, {10});
  EXPECT_EQ(Profile(b, "x relu y"), Bytes({100, 200, 210}));
}

TEST(SimulatorMemoryTest, DoesNotTakeOverThroughAViewThatIsStillNeeded) {
  GraphBuilder b;
  b.Add("x", {}, {100});
  b.AddView("v", "x:0", 100);
  b.Add("relu", {"x:0"}, {100})->mutable_output(0)->add_forwards_input(0);
  b.Add("y", {"relu:0", "v:0"}, {10});
  EXPECT_EQ(Profile(b, "x v relu y"), Bytes({100, 100, 200, 210}));
  // A view whose taker is gone no longer stands in the way.
  GraphBuilder c;
  c.Add("x", {}, {100});
  c.AddView("v", "x:0", 100);
  c.Add("u", {"v:0"}, {1});
  c.Add("relu", {"x:0"}, {100})->mutable_output(0)->add_forwards_input(0);
  c.Add("y", {"relu:0", "u:0"}, {10});
  EXPECT_EQ(Profile(c, "x v u relu y"), Bytes({100, 100, 101, 101, 111}));
}

TEST(SimulatorMemoryTest, TriesTheListedInputsInOrderAndOnlyEqualSizes) {
  GraphBuilder b;
  b.Add("small", {}, {10});
  b.Add("held", {}, {100});
  b.Add("free", {}, {100});
  config::Node* sum = b.Add("sum", {"small:0", "held:0", "free:0"}, {100});
  for (int input : {0, 1, 2}) sum->mutable_output(0)->add_forwards_input(input);
  b.Add("end", {"sum:0", "held:0"}, {1});
  // Takes over `free`: `small` has another size, `held` another taker.
  EXPECT_EQ(Profile(b, "small held free sum end"), Bytes({10, 110, 210, 210, 201}));
}

TEST(SimulatorMemoryTest, OneBufferIsTakenOverOnce) {
  GraphBuilder b;
  b.Add("x", {}, {100});
  config::Node* two = b.Add("two", {"x:0"}, {100, 100});
  two->mutable_output(0)->add_forwards_input(0);
  two->mutable_output(1)->add_forwards_input(0);
  b.Add("y", {"two:0", "two:1"}, {1});
  EXPECT_EQ(Profile(b, "x two y"), Bytes({100, 200, 201}));
}

TEST(SimulatorMemoryTest, ExternalBuffersAreNeitherCountedNorTakenOver) {
  GraphBuilder b(/*external_bytes=*/100);
  b.AddArgument("a", 100);
  b.Add("relu", {"a:0"}, {100})->mutable_output(0)->add_forwards_input(0);
  EXPECT_EQ(Profile(b, "relu"), Bytes({200}));
}

TEST(SimulatorMemoryTest, ResultsHoldTheFirstInstanceToTheEnd) {
  GraphBuilder b;
  b.Add("x", {}, {100});
  b.Add("y", {"x:0"}, {10});
  b.AddResult("r", "x:0");
  b.Add("z", {"y:0"}, {1});
  EXPECT_EQ(Profile(b, "x y z"), Bytes({100, 110, 111}));
  EXPECT_TRUE(Simulate(b, "x y z").allocations[0].outlives_step);
  // A second instance is freed; the first stays.
  EXPECT_EQ(Profile(b, "x y again:x z"), Bytes({100, 110, 210, 111}));
}

TEST(SimulatorMemoryTest, WhatNodesOutsideTheProgramMakeCountsThroughout) {
  GraphBuilder b;
  b.Add("x", {}, {1});
  b.Add("loop", {"x:0"}, {50})->set_recompute(config::RECOMPUTE_CONTROL_FLOW);
  b.Add("y", {"loop:0"}, {10});
  // The loop holds x to the end.
  EXPECT_EQ(Profile(b, "x y"), Bytes({51, 61}));
}

TEST(SimulatorMemoryTest, RerunsMakeNewInstancesAndEndTheOld) {
  GraphBuilder b;
  b.Add("x", {}, {5});
  b.Add("y", {"x:0"}, {100});
  b.Add("z", {"y:0"}, {10});
  b.Add("back", {"z:0", "y:0", "x:0"}, {1});
  EXPECT_EQ(Profile(b, "x y z back"), Bytes({5, 105, 115, 116}));
  // y ends after z, comes again before back.
  EXPECT_EQ(Profile(b, "x y z again:y back"), Bytes({5, 105, 115, 115, 116}));
}

TEST(SimulatorMemoryTest, ReadsShareTheVariableAndUpdatesInPlaceCostNothing) {
  GraphBuilder b(/*external_bytes=*/100);
  b.AddArgument("w", 8);
  b.AddRead("read", "w", 100);
  b.Add("grad", {"read:0"}, {100});
  b.AddUpdate("update", "w", "grad:0");
  EXPECT_EQ(Profile(b, "read grad update"), Bytes({100, 200, 200}));
}

TEST(SimulatorMemoryTest, AnUpdateCopiesTheVariableWhileAReaderLives) {
  GraphBuilder b(/*external_bytes=*/100);
  b.AddArgument("w", 8);
  b.AddRead("read", "w", 100);
  b.AddView("view", "read:0", 100);
  b.Add("grad", {"read:0"}, {30});
  b.AddUpdate("update", "w", "grad:0");
  b.Add("late", {"view:0"}, {7});
  b.AddRead("again", "w", 100);
  b.Add("end", {"again:0", "late:0"}, {1});
  // The copy of 100 comes at the update; grad goes with it, the old buffer with `late`.
  EXPECT_EQ(Profile(b, "read view grad update late again end"), Bytes({100, 100, 130, 230, 207, 107, 108}));
  const Simulation simulation = Simulate(b, "read view grad update late again end");
  ASSERT_EQ(simulation.allocations.size(), 4u);
  EXPECT_EQ(simulation.allocations[1].kind, Allocation::kVariableCopy);
  EXPECT_TRUE(simulation.allocations[1].outlives_step);
  // With the late reader before the update there is no copy.
  EXPECT_EQ(Profile(b, "read view grad late update again end"), Bytes({100, 100, 130, 137, 137, 107, 108}));
}

TEST(SimulatorMemoryTest, AReplacedVariableTakesOverTheValue) {
  GraphBuilder b(/*external_bytes=*/100);
  b.AddArgument("w", 8);
  b.AddRead("read", "w", 100);
  b.Add("value", {"read:0"}, {100});
  b.AddReplace("replace", "w", "value:0");
  b.Add("end", {}, {1});
  // The old buffer goes when the new one is in place.
  EXPECT_EQ(Profile(b, "read value replace end"), Bytes({100, 200, 200, 101}));
  const Simulation simulation = Simulate(b, "read value replace end");
  EXPECT_TRUE(simulation.allocations[0].outlives_step);
}

TEST(SimulatorMemoryTest, AReplacedVariablesOldBufferWaitsForItsReaders) {
  GraphBuilder b(/*external_bytes=*/100);
  b.AddArgument("w", 8);
  b.AddRead("read", "w", 100);
  b.Add("value", {}, {100});
  b.AddReplace("replace", "w", "value:0");
  b.Add("late", {"read:0"}, {7});
  b.Add("end", {}, {1});
  EXPECT_EQ(Profile(b, "read value replace late end"), Bytes({100, 200, 200, 207, 101}));
}

}  // namespace
}  // namespace str::optimizer
