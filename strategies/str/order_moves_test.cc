#include "strategies/str/order_moves.h"

#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "optimizer/simulator/program.h"
#include "optimizer/testing/graph_builder.h"
#include "optimizer/testing/program_text.h"
#include "optimizer/testing/training_graph.h"
#include "strategies/str/lean_evaluator.h"
#include "strategies/str/lean_model.h"

namespace str::strategies {
namespace {

using optimizer::Costs;
using optimizer::Graph;
using optimizer::NodeId;

std::vector<NodeId> Order(const Graph& graph, const std::vector<std::string>& names) {
  std::vector<NodeId> order;
  for (const std::string& name : names) order.push_back(graph.FindNode(name));
  return order;
}

// "x" is used by "a" and "b", which do not depend on each other, and at the end.
optimizer::GraphBuilder Diamond() {
  optimizer::GraphBuilder b;
  b.Add("x", {}, {1000});
  b.Add("pause", {}, {10});
  b.Add("a", {"x:0"}, {10});
  b.Add("gap", {"a:0"}, {10});
  b.Add("b", {"x:0"}, {10});
  b.Add("other", {"b:0"}, {10});
  b.Add("end", {"x:0", "gap:0", "other:0"}, {10});
  return b;
}

ProblemOptions AllTensors() {
  ProblemOptions options;
  options.peak_bytes = 1;
  return options;
}

TEST(CarryOverTest, TheSameOrderKeepsEveryDecision) {
  optimizer::GraphBuilder b = Diamond();
  const Graph graph = b.Build();
  const Costs costs = optimizer::MeasuredCosts(b.file());
  const Problem problem(&graph, &costs, optimizer::CapturedOrder(graph), AllTensors());
  Decisions decisions = problem.KeepEverything();
  for (size_t u = 0; u < decisions.size(); ++u) {
    if (problem.Allows(problem.units()[u], Mode::kSwap) && u % 2 == 0) decisions[u] = Mode::kSwap;
  }
  EXPECT_EQ(CarryOver(problem, decisions, problem), decisions);
}

TEST(CarryOverTest, AGapThatEndsInTheSameUseKeepsItsDecision) {
  optimizer::GraphBuilder b = Diamond();
  const Graph graph = b.Build();
  const Costs costs = optimizer::MeasuredCosts(b.file());
  const Problem before(&graph, &costs, Order(graph, {"x", "pause", "a", "gap", "b", "other", "end"}), AllTensors());
  const Problem after(&graph, &costs, Order(graph, {"x", "pause", "b", "other", "a", "gap", "end"}), AllTensors());
  const auto decision_at = [&](const Problem& problem, const Decisions& decisions, const std::string& use) {
    const int32_t x = problem.storage_of(graph.node(graph.FindNode("x")).first_tensor);
    for (size_t u = 0; u < decisions.size(); ++u) {
      const Unit& unit = problem.units()[u];
      if (unit.storage == x && !unit.afterlife && problem.node(unit.to) == graph.FindNode(use)) return decisions[u];
    }
    ADD_FAILURE() << "no gap of x ends in " << use;
    return Mode::kKeep;
  };
  Decisions decisions = before.KeepEverything();
  for (size_t u = 0; u < decisions.size(); ++u) {
    const Unit& unit = before.units()[u];
    if (!unit.afterlife && before.node(unit.to) == graph.FindNode("end")) decisions[u] = Mode::kSwap;
    if (!unit.afterlife && before.node(unit.to) == graph.FindNode("a")) decisions[u] = Mode::kRecompute;
  }
  const Decisions carried = CarryOver(before, decisions, after);
  ASSERT_EQ(carried.size(), after.units().size());
  EXPECT_EQ(decision_at(after, carried, "end"), Mode::kSwap);
  EXPECT_EQ(decision_at(after, carried, "a"), Mode::kRecompute);
  EXPECT_EQ(decision_at(after, carried, "b"), Mode::kKeep);
}

struct Start {
  explicit Start(uint64_t seed) {
    optimizer::TrainingGraphOptions options;
    options.seed = seed;
    const config::GraphFile file = optimizer::RandomTrainingGraph(options);
    graph.emplace(*Graph::FromFile(file));
    costs = optimizer::MeasuredCosts(file);
    constraints = optimizer::OrderConstraints(*graph);
    ordered.order = optimizer::RepairedOrder(constraints);
    const Problem problem(&*graph, &costs, ordered.order, problem_options);
    const LeanModel model(&problem);
    peak_bytes = model.peak_bytes();
    problem_options.peak_bytes = peak_bytes;
    const Problem decided(&*graph, &costs, ordered.order, problem_options);
    ordered.decisions = decided.KeepEverything();
    ordered.seconds = std::numeric_limits<double>::infinity();
  }

  Evaluation Evaluate(const OrderedDecisions& found, int64_t budget_bytes) const {
    const Problem problem(&*graph, &costs, found.order, problem_options);
    const LeanModel model(&problem);
    return LeanEvaluator(&model, false).Evaluate(found.decisions, budget_bytes);
  }

  std::optional<Graph> graph;
  Costs costs;
  ProblemOptions problem_options;
  optimizer::Constraints constraints;
  OrderedDecisions ordered;
  int64_t peak_bytes = 0;
};

TEST(MoveNodesTest, WhatItSaysOfItsBestIsTrue) {
  int found_some = 0;
  for (uint64_t seed = 1; seed <= 5; ++seed) {
    SCOPED_TRACE(seed);
    const Start start(seed);
    OrderMoveOptions options;
    options.budget_bytes = start.peak_bytes * 85 / 100;
    options.rounds = 6;
    options.seed = seed;
    const Limit limit(absl::InfiniteDuration(), nullptr);
    const OrderedDecisions found =
        MoveNodes(*start.graph, start.costs, start.problem_options, start.constraints, start.ordered, options, limit);
    EXPECT_TRUE(optimizer::Respects(start.constraints, found.order));
    const OrderedDecisions again =
        MoveNodes(*start.graph, start.costs, start.problem_options, start.constraints, start.ordered, options, limit);
    EXPECT_EQ(found.order, again.order) << "the same seed gives the same order";
    if (found.seconds == std::numeric_limits<double>::infinity()) continue;
    ++found_some;
    const Evaluation evaluation = start.Evaluate(found, options.budget_bytes);
    EXPECT_DOUBLE_EQ(evaluation.seconds, found.seconds);
    EXPECT_LE(evaluation.tight_peak_bytes, options.budget_bytes);
  }
  EXPECT_GE(found_some, 3);
}

// Both branches are long and large at their begin: one after the other they fit, begun together one has to be dropped.
TEST(MoveNodesTest, FindsTheOrderInWhichNothingHasToBeDropped) {
  optimizer::GraphBuilder b;
  b.Add("a1", {}, {1000}, 1000);
  b.Add("b1", {}, {1000}, 1000);
  b.Add("a2", {"a1:0"}, {10}, 1000);
  b.Add("b2", {"b1:0"}, {10}, 1000);
  b.Add("end", {"a2:0", "b2:0"}, {10}, 10);
  const Graph graph = b.Build();
  const Costs costs = optimizer::MeasuredCosts(b.file());
  const optimizer::Constraints constraints = optimizer::OrderConstraints(graph);
  const ProblemOptions problem_options = AllTensors();
  OrderedDecisions start;
  start.order = optimizer::CapturedOrder(graph);
  start.decisions = Problem(&graph, &costs, start.order, problem_options).KeepEverything();
  start.seconds = std::numeric_limits<double>::infinity();
  OrderMoveOptions options;
  options.budget_bytes = 1100;
  options.rounds = 20;
  const OrderedDecisions found =
      MoveNodes(graph, costs, problem_options, constraints, start, options, Limit(absl::InfiniteDuration(), nullptr));
  EXPECT_NEAR(found.seconds, 4010e-9, 1e-12) << "the nodes' own time";
}

}  // namespace
}  // namespace str::strategies
