#include "strategies/staged/schedule.h"

#include "gtest/gtest.h"
#include "optimizer/simulator/judge.h"
#include "optimizer/testing/graph_builder.h"
#include "optimizer/testing/program_text.h"

namespace str::strategies {
namespace {

using optimizer::Graph;
using optimizer::GraphBuilder;

// A chain of layers with its gradients, of unit time and bytes: layers 0..n-1, the loss n, and 2n - i the gradient of
// layer i, which takes the gradient of layer i + 1 and the output of layer i.
StagedGraph Chain(int layers) {
  StagedGraph graph;
  for (int i = 0; i <= 2 * layers; ++i) {
    StagedNode node;
    node.seconds = 1;
    node.bytes = 1;
    node.may_rerun = true;
    if (i > 0) node.inputs.push_back(i - 1);
    if (i > layers) node.inputs.push_back(2 * layers - i);
    graph.Add(node);
  }
  return graph;
}

struct Expected {
  int layers;
  double seconds;
  int64_t peak_bytes;
};

// Only the value before is held: the figures are those of Checkmate's artifact for "checkpoint last node".
TEST(ScheduleTest, HoldingOnlyTheLastValueCostsAsInCheckmate) {
  for (const Expected& expected :
       {Expected{4, 19, 3}, Expected{8, 53, 3}, Expected{16, 169, 3}, Expected{32, 593, 3}}) {
    const StagedGraph graph = Chain(expected.layers);
    Schedule schedule;
    schedule.held = StageMatrix(graph.size());
    for (int stage = 1; stage < graph.size(); ++stage) schedule.held.Set(stage, stage - 1, true);
    schedule.computed = LeastComputed(graph, schedule.held);
    const CheckmateFigures figures = EvaluateAsCheckmate(graph, schedule);
    EXPECT_EQ(figures.seconds, expected.seconds) << expected.layers;
    EXPECT_EQ(figures.peak_bytes, expected.peak_bytes) << expected.layers;
  }
}

// Everything is held until its last use: Checkmate's "checkpoint all".
TEST(ScheduleTest, HoldingEverythingCostsAsInCheckmate) {
  for (const Expected& expected :
       {Expected{4, 9, 6}, Expected{8, 17, 10}, Expected{16, 33, 18}, Expected{32, 65, 34}}) {
    const StagedGraph graph = Chain(expected.layers);
    Schedule schedule;
    schedule.held = StageMatrix(graph.size());
    for (int i = 0; i + 1 < graph.size(); ++i) {
      for (int stage = i + 1; stage <= graph.node(i).consumers.back(); ++stage) schedule.held.Set(stage, i, true);
    }
    schedule.computed = LeastComputed(graph, schedule.held);
    const CheckmateFigures figures = EvaluateAsCheckmate(graph, schedule);
    EXPECT_EQ(figures.seconds, expected.seconds) << expected.layers;
    EXPECT_EQ(figures.peak_bytes, expected.peak_bytes) << expected.layers;
  }
}

TEST(ScheduleTest, ProgramsHaveTheRerunsThatSomebodyTakes) {
  GraphBuilder b;
  b.Add("a", {}, {100});
  b.Add("b", {"a:0"}, {100});
  b.Add("c", {"b:0"}, {100});
  b.Add("d", {"c:0", "a:0"}, {1});
  const Graph graph = b.Build();
  const StagedGraph staged(graph, optimizer::MeasuredCosts(b.file()), optimizer::CapturedOrder(graph), {});
  StageMatrix held(4);
  held.Set(1, 0, true);
  held.Set(2, 1, true);
  held.Set(3, 2, true);
  StageMatrix computed = LeastComputed(staged, held);
  EXPECT_EQ(optimizer::ProgramText(graph, ProgramOf(graph, staged, computed)), "a b c again:a d");
  computed.Set(2, 0, true);
  EXPECT_EQ(optimizer::ProgramText(graph, ProgramOf(graph, staged, computed)), "a b c again:a d");
  computed.Set(3, 0, false);
  EXPECT_EQ(optimizer::ProgramText(graph, ProgramOf(graph, staged, computed)), "a b again:a c d");
}

TEST(ScheduleTest, ViewsHaveNoBytesAndBringTheirBufferAlong) {
  GraphBuilder b;
  b.Add("a", {}, {100});
  b.AddView("view", "a:0", 100);
  b.Add("c", {"view:0"}, {50})->set_temporary_bytes(7);
  b.AddResult("result", "c:0");
  const Graph graph = b.Build();
  const StagedGraph staged(graph, optimizer::MeasuredCosts(b.file()), optimizer::CapturedOrder(graph), {});
  ASSERT_EQ(staged.size(), 3);
  EXPECT_EQ(staged.node(1).bytes, 0);
  EXPECT_EQ(staged.node(1).viewed, std::vector<int>{0});
  EXPECT_EQ(staged.node(2).inputs, (std::vector<int>{0, 1}));
  EXPECT_EQ(staged.node(2).temporary_bytes, 7);
  EXPECT_TRUE(staged.node(2).held);
  EXPECT_FALSE(staged.node(0).held);
}

TEST(ScheduleTest, KnowsWhoseBufferIsTakenOver) {
  GraphBuilder b;
  b.Add("a", {}, {100});
  b.Add("same", {"a:0"}, {100})->mutable_output(0)->add_forwards_input(0);
  b.Add("other", {"same:0"}, {50})->mutable_output(0)->add_forwards_input(0);
  b.Add("twice", {"other:0", "other:0"}, {50})->mutable_output(0)->add_forwards_input(0);
  const Graph graph = b.Build();
  const StagedGraph staged(graph, optimizer::MeasuredCosts(b.file()), optimizer::CapturedOrder(graph), {});
  EXPECT_EQ(staged.node(1).takes_over, 0);
  EXPECT_EQ(staged.node(2).takes_over, -1);
  EXPECT_EQ(staged.node(3).takes_over, -1);
}

TEST(ScheduleTest, PinsForbidReruns) {
  GraphBuilder b;
  for (const char* name : {"keep", "swap", "recompute", "free"}) b.Add(name, {}, {1});
  b.AddView("view", "swap:0", 1);
  const Graph graph = b.Build();
  const StagedGraph staged(graph, optimizer::MeasuredCosts(b.file()), optimizer::CapturedOrder(graph),
                           {Pin::kKeep, Pin::kSwap, Pin::kRecompute, Pin::kFree, Pin::kSwap});
  EXPECT_FALSE(staged.node(0).may_rerun);
  EXPECT_FALSE(staged.node(1).may_rerun);
  EXPECT_TRUE(staged.node(2).may_rerun);
  EXPECT_TRUE(staged.node(3).may_rerun);
  EXPECT_TRUE(staged.node(4).may_rerun);
}

}  // namespace
}  // namespace str::strategies
