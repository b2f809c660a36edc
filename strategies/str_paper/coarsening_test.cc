#include "strategies/str_paper/coarsening.h"

#include "gtest/gtest.h"

namespace str::strategies {
namespace {

constexpr int64_t kPlenty = 1000;

StagedNode Node(int id, int64_t bytes, std::vector<int> inputs, bool may_rerun) {
  StagedNode node;
  node.nodes = {id};
  node.tensors = {id};
  node.seconds = 1;
  node.bytes = bytes;
  node.inputs = std::move(inputs);
  node.may_rerun = may_rerun;
  node.may_swap = true;
  return node;
}

// a (10) -> b (1) -> c (20) -> d (30, once) takes c and a -> e (2, once).
StagedGraph Example() {
  StagedGraph graph(7);
  graph.Add(Node(0, 10, {}, true));
  graph.Add(Node(1, 1, {0}, true));
  graph.Add(Node(2, 20, {1}, true));
  graph.Add(Node(3, 30, {0, 2}, false));
  graph.Add(Node(4, 2, {3}, false));
  return graph;
}

TEST(CoarseningTest, FusesTheLightestWithItsLighterNeighbour) {
  const StagedGraph coarse = Coarsen(Example(), 4, kPlenty);
  ASSERT_EQ(coarse.size(), 4);
  EXPECT_EQ(coarse.fixed_bytes(), 7);
  EXPECT_EQ(coarse.total_seconds(), 5);
  const StagedNode& fused = coarse.node(0);
  EXPECT_EQ(fused.nodes, (std::vector<optimizer::NodeId>{0, 1}));
  // Both are taken from outside: by d and by c.
  EXPECT_EQ(fused.bytes, 11);
  EXPECT_EQ(fused.temporary_bytes, 0);
  EXPECT_EQ(fused.seconds, 2);
  EXPECT_TRUE(fused.may_rerun);
  EXPECT_EQ(coarse.node(1).inputs, std::vector<int>{0});
  EXPECT_EQ(coarse.node(2).inputs, (std::vector<int>{0, 1}));
}

TEST(CoarseningTest, WhatStaysInsideIsOnlyThereWhileItRuns) {
  const StagedGraph coarse = Coarsen(Example(), 2, kPlenty);
  ASSERT_EQ(coarse.size(), 2);
  // a and c are taken by d, b by nobody outside.
  EXPECT_EQ(coarse.node(0).bytes, 30);
  EXPECT_EQ(coarse.node(0).tensors, (std::vector<optimizer::TensorId>{0, 2}));
  EXPECT_EQ(coarse.node(0).temporary_bytes, 1);
  EXPECT_TRUE(coarse.node(0).may_rerun);
  // d and e: nothing of it is taken any more.
  EXPECT_EQ(coarse.node(1).bytes, 0);
  EXPECT_EQ(coarse.node(1).temporary_bytes, 32);
  EXPECT_FALSE(coarse.node(1).may_rerun);
}

TEST(CoarseningTest, BuffersThatAreTakenOverCountOnce) {
  StagedGraph graph;
  graph.Add(Node(0, 10, {}, true));
  StagedNode in_place = Node(1, 10, {0}, true);
  in_place.takes_over = 0;
  graph.Add(in_place);
  graph.Add(Node(2, 5, {1}, false));
  const StagedGraph coarse = Coarsen(graph, 2, kPlenty);
  ASSERT_EQ(coarse.size(), 2);
  EXPECT_EQ(coarse.node(0).bytes, 10);
  EXPECT_EQ(coarse.node(0).temporary_bytes, 0);
  EXPECT_EQ(coarse.node(0).takes_over, -1);
  // Alone it takes over the other's.
  EXPECT_EQ(Coarsen(graph, 3, kPlenty).node(1).takes_over, 0);
}

TEST(CoarseningTest, WhatMayRunAgainIsNotFusedWithWhatMayNot) { EXPECT_EQ(Coarsen(Example(), 1, kPlenty).size(), 2); }

TEST(CoarseningTest, WhatStaysToTheEndKeepsNobodyElseThere) {
  StagedGraph graph(7);
  StagedNode result = Node(0, 3, {}, true);
  result.held = true;
  graph.Add(result);
  graph.Add(Node(1, 10, {0}, true));
  graph.Add(Node(2, 50, {1}, false));
  const StagedGraph coarse = Coarsen(graph, 2, kPlenty);
  ASSERT_EQ(coarse.size(), 2);
  EXPECT_EQ(coarse.fixed_bytes(), 10);
  EXPECT_EQ(coarse.node(0).bytes, 10);
  EXPECT_EQ(coarse.node(0).temporary_bytes, 0);
  EXPECT_FALSE(coarse.node(0).held);
}

// b and c need a, b and c: 31 bytes. a and b need 11; d and e, which take a and c, 62.
TEST(CoarseningTest, NothingIsFusedThatNeedsTooMuch) {
  EXPECT_EQ(Coarsen(Example(), 1, 10).size(), 5);
  EXPECT_EQ(Coarsen(Example(), 1, 12).size(), 4);
  EXPECT_EQ(Coarsen(Example(), 1, 31).size(), 3);
  EXPECT_EQ(Coarsen(Example(), 1, 62).size(), 2);
}

TEST(CoarseningTest, SmallGraphsStayAsTheyAre) { EXPECT_EQ(Coarsen(Example(), 5, kPlenty).size(), 5); }

}  // namespace
}  // namespace str::strategies
