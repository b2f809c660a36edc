#include "optimizer/order/orders.h"

#include <algorithm>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "optimizer/order/constraints.h"
#include "optimizer/order/demand_order.h"
#include "optimizer/order/list_order.h"
#include "optimizer/order/order_variations.h"
#include "optimizer/simulator/judge.h"
#include "optimizer/testing/graph_builder.h"
#include "optimizer/testing/program_text.h"
#include "optimizer/testing/training_graph.h"

namespace str::optimizer {
namespace {

using ::testing::Contains;
using ::testing::Not;

TEST(ConstraintsTest, ReadersRunBeforeTheUpdate) {
  GraphBuilder b;
  b.AddArgument("w", 8);
  b.AddRead("read", "w", 100);
  b.AddView("view", "read:0", 100);
  b.Add("grad", {}, {100});
  b.AddUpdate("update", "w", "grad:0");
  b.Add("late", {"view:0"}, {1});
  b.Add("depends", {"read:0"}, {1})->add_control("update");
  const Graph graph = b.Build();
  const Constraints constraints = OrderConstraints(graph);
  const std::vector<NodeId>& before = constraints.predecessors[graph.FindNode("update")];
  EXPECT_THAT(before, Contains(graph.FindNode("view")));
  EXPECT_THAT(before, Contains(graph.FindNode("late")));
  EXPECT_THAT(before, Not(Contains(graph.FindNode("depends"))));
  EXPECT_FALSE(Respects(constraints, CapturedOrder(graph)));
  EXPECT_TRUE(Respects(constraints, DemandOrder(graph, constraints)));
}

TEST(ConstraintsTest, CrossedReadersDoNotCloseACycle) {
  // Each update's late reader was captured behind the other's update, and needs it.
  GraphBuilder b;
  b.AddArgument("v", 8);
  b.AddArgument("w", 8);
  b.AddRead("read_v", "v", 100);
  b.AddRead("read_w", "w", 100);
  b.Add("grad", {}, {100});
  b.AddUpdate("update_v", "v", "grad:0");
  b.AddUpdate("update_w", "w", "grad:0");
  b.Add("late_v", {"read_v:0"}, {1})->add_control("update_w");
  b.Add("late_w", {"read_w:0"}, {1})->add_control("update_v");
  const Graph graph = b.Build();
  const Constraints constraints = OrderConstraints(graph);
  EXPECT_TRUE(Respects(constraints, DemandOrder(graph, constraints)));
  EXPECT_TRUE(Respects(constraints, ListOrder(graph, constraints)));
}

TEST(ConstraintsTest, AReadStaysOnItsSideOfAnUpdate) {
  GraphBuilder b;
  b.AddArgument("w", 8);
  b.Add("grad", {}, {100});
  b.AddUpdate("update", "w", "grad:0");
  b.AddRead("after", "w", 100);
  const Graph graph = b.Build();
  EXPECT_THAT(OrderConstraints(graph).predecessors[graph.FindNode("after")], Contains(graph.FindNode("update")));
}

TEST(OrdersTest, UpdatesRunAsSoonAsTheyCan) {
  // Captured: all gradients first, then all updates. By demand each gradient is used up before the next.
  GraphBuilder b;
  for (const char* w : {"w1", "w2", "w3"}) b.AddArgument(w, 8);
  b.Add("x", {}, {10});
  for (const char* g : {"g1", "g2", "g3"}) b.Add(g, {"x:0"}, {100});
  b.AddUpdate("u1", "w1", "g1:0");
  b.AddUpdate("u2", "w2", "g2:0");
  b.AddUpdate("u3", "w3", "g3:0");
  const Graph graph = b.Build();
  const absl::StatusOr<std::vector<CandidateOrder>> orders = FindOrders(graph, MeasuredCosts(b.file()));
  ASSERT_TRUE(orders.ok()) << orders.status();
  EXPECT_EQ(orders->front().peak_bytes, 110);
  EXPECT_EQ(orders->back().name, "captured");
  EXPECT_EQ(orders->back().peak_bytes, 310);
}

TEST(OrdersTest, TheCapturedOrderWinsAmongEquals) {
  GraphBuilder b;
  b.Add("x", {}, {10});
  b.Add("y", {"x:0"}, {10});
  const absl::StatusOr<std::vector<CandidateOrder>> orders = FindOrders(b.Build(), MeasuredCosts(b.file()));
  ASSERT_TRUE(orders.ok());
  EXPECT_EQ(orders->front().name, "captured");
}

TEST(OrdersTest, PrefersNotToCopyVariables) {
  // The late reader is captured behind the update; the peak is elsewhere.
  GraphBuilder b;
  b.AddArgument("w", 8);
  b.AddRead("read", "w", 100);
  b.Add("grad", {"read:0"}, {10});
  b.AddUpdate("update", "w", "grad:0");
  b.Add("late", {"read:0"}, {10});
  b.Add("peak", {"late:0"}, {1000});
  const Graph graph = b.Build();
  const absl::StatusOr<std::vector<CandidateOrder>> orders = FindOrders(graph, MeasuredCosts(b.file()));
  ASSERT_TRUE(orders.ok());
  EXPECT_EQ(orders->front().name, "readers-first");
  EXPECT_EQ(orders->front().copied_variable_bytes, 0);
  EXPECT_EQ(ProgramText(graph, KeepAll(graph, orders->front().nodes)), "read grad late update peak");
}

TEST(OrdersTest, PathsThroughNodesOutsideTheProgramHold) {
  GraphBuilder b;
  b.Add("z", {}, {1});
  b.Add("a", {}, {1});
  b.Add("outside", {"z:0"}, {1})->set_recompute(config::RECOMPUTE_CONTROL_FLOW);
  b.Add("b", {"outside:0", "a:0"}, {1});
  const Graph graph = b.Build();
  const Costs costs = MeasuredCosts(b.file());
  const absl::StatusOr<std::vector<CandidateOrder>> orders = FindOrders(graph, costs);
  ASSERT_TRUE(orders.ok());
  for (const CandidateOrder& order : *orders) EXPECT_TRUE(Judge(graph, costs, KeepAll(graph, order.nodes)).ok());
}

TEST(OrdersTest, RandomTrainingGraphsAreOrderedRightAndNotWorse) {
  for (uint64_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE(seed);
    TrainingGraphOptions options;
    options.seed = seed;
    const config::GraphFile file = RandomTrainingGraph(options);
    const absl::StatusOr<Graph> graph = Graph::FromFile(file);
    ASSERT_TRUE(graph.ok());
    const Costs costs = MeasuredCosts(file);
    const Constraints constraints = OrderConstraints(*graph);
    EXPECT_TRUE(Respects(constraints, DemandOrder(*graph, constraints)));
    EXPECT_TRUE(Respects(constraints, ListOrder(*graph, constraints)));
    EXPECT_TRUE(Respects(constraints, ReverseListOrder(*graph, constraints)));
    const absl::StatusOr<std::vector<CandidateOrder>> orders = FindOrders(*graph, costs);
    ASSERT_TRUE(orders.ok()) << orders.status();
    for (const CandidateOrder& order : *orders) {
      const absl::StatusOr<Verdict> verdict = Judge(*graph, costs, KeepAll(*graph, order.nodes));
      ASSERT_TRUE(verdict.ok()) << verdict.status();
      EXPECT_EQ(verdict->peak_bytes(), order.peak_bytes);
      EXPECT_LE(orders->front().peak_bytes, order.peak_bytes);
    }
  }
}

TEST(ListOrderTest, FromTheEndLargeTensorsAreMadeLate) {
  // From the front both are equal until "join" frees them; from the end the large one is placed next to its user.
  GraphBuilder b;
  b.Add("large", {}, {1000});
  b.Add("small", {}, {10});
  b.Add("wait", {"small:0"}, {10});
  b.Add("join", {"large:0", "wait:0"}, {1});
  const Graph graph = b.Build();
  const Constraints constraints = OrderConstraints(graph);
  EXPECT_EQ(ProgramText(graph, KeepAll(graph, ReverseListOrder(graph, constraints))), "small wait large join");
}

TEST(ListOrderTest, TiesGoWhereTheyAreAskedTo) {
  GraphBuilder b;
  b.Add("first", {}, {10});
  b.Add("second", {}, {10});
  b.Add("end", {"first:0", "second:0"}, {1});
  const Graph graph = b.Build();
  const Constraints constraints = OrderConstraints(graph);
  ListOptions late;
  late.ties = ListOptions::Ties::kCapturedLast;
  EXPECT_EQ(ProgramText(graph, KeepAll(graph, ListOrder(graph, constraints))), "first second end");
  EXPECT_EQ(ProgramText(graph, KeepAll(graph, ListOrder(graph, constraints, late))), "second first end");
}

TEST(OrderVariationsTest, TheyAreRightAndDifferent) {
  size_t most_found = 0;
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    TrainingGraphOptions options;
    options.seed = seed;
    const absl::StatusOr<Graph> graph = Graph::FromFile(RandomTrainingGraph(options));
    ASSERT_TRUE(graph.ok());
    const Constraints constraints = OrderConstraints(*graph);
    const std::vector<std::vector<NodeId>> known = {ListOrder(*graph, constraints), DemandOrder(*graph, constraints)};
    const std::vector<NamedOrder> orders = OrderVariations(*graph, known, 12, seed);
    EXPECT_LE(orders.size(), 12);
    most_found = std::max(most_found, orders.size());
    for (size_t i = 0; i < orders.size(); ++i) {
      EXPECT_TRUE(Respects(constraints, orders[i].nodes)) << orders[i].name;
      EXPECT_THAT(known, Not(Contains(orders[i].nodes)));
      for (size_t j = 0; j < i; ++j) EXPECT_NE(orders[i].nodes, orders[j].nodes);
    }
    const std::vector<NamedOrder> again = OrderVariations(*graph, known, 12, seed);
    ASSERT_EQ(again.size(), orders.size());
    for (size_t i = 0; i < orders.size(); ++i) EXPECT_EQ(again[i].nodes, orders[i].nodes);
  }
  EXPECT_EQ(most_found, 12);
}

}  // namespace
}  // namespace str::optimizer
