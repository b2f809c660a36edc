// The bound for plans in any order, against brute force over orders. A failure prints the seed.
#include <algorithm>
#include <cstdlib>
#include <functional>
#include <limits>
#include <random>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "optimizer/bound/cut_view.h"
#include "optimizer/bound/reach.h"
#include "optimizer/bound/step_bound.h"
#include "optimizer/simulator/judge.h"
#include "optimizer/testing/graph_builder.h"
#include "optimizer/testing/program_text.h"
#include "optimizer/testing/tiny_graph.h"
#include "optimizer/testing/training_graph.h"
#include "strategies/registry.h"

namespace str::optimizer {
namespace {

constexpr int64_t kUnitBytes = 1 << 20;
constexpr double kNever = std::numeric_limits<double>::infinity();
// Sums of the same times in another order differ by less.
constexpr double kRounding = 1e-9;

bool LongTests() { return std::getenv("STR_LONG_TESTS") != nullptr; }

struct Case {
  explicit Case(const GraphBuilder& builder, const config::GraphFile& file)
      : graph(builder.Build()), costs(MeasuredCosts(file)), keep(*Judge(graph, costs, KeepAll(graph, Order()))) {}

  std::vector<NodeId> Order() const { return FirstRuns(KeepAll(graph, CapturedOrder(graph))); }

  double AnyOrderBound(int64_t budget_bytes, bool copies) const {
    StepBoundOptions options;
    options.budget_bytes = budget_bytes;
    options.copies = copies;
    const absl::StatusOr<double> bound = FindAnyOrderBound(graph, costs, Order(), options);
    EXPECT_TRUE(bound.ok()) << bound.status();
    return bound.ok() ? *bound : kNever;
  }

  double OrderBound(int64_t budget_bytes, bool copies) const {
    StepBoundOptions options;
    options.budget_bytes = budget_bytes;
    options.copies = copies;
    return FindStepBound(graph, costs, Order(), options)->seconds;
  }

  const Graph graph;
  const Costs costs;
  const Verdict keep;
};

TEST(ReachTest, FollowsTensorsAndControlEdges) {
  GraphBuilder b;
  b.Add("a", {}, {1}, 1);
  b.Add("b", {}, {1}, 10);
  b.Add("c", {"a:0"}, {1}, 100);
  b.Add("d", {}, {1}, 1000)->add_control("c");
  const Case c(b, b.file());
  const Reach reach(c.graph, c.costs, c.Order());
  EXPECT_TRUE(reach.Reaches(0, 2));
  EXPECT_TRUE(reach.Reaches(0, 3)) << "by way of c";
  EXPECT_FALSE(reach.Reaches(1, 3));
  EXPECT_FALSE(reach.Reaches(2, 0));
  EXPECT_FALSE(reach.Reaches(0, 0));
  EXPECT_NEAR(reach.SecondsUpTo(3), 1101e-9, 1e-15);
  EXPECT_NEAR(reach.SecondsFrom(0), 1101e-9, 1e-15);
  EXPECT_NEAR(reach.SecondsFrom(1), 10e-9, 1e-15);
}

// Both branches are large at their begin. Begun together, one has to be dropped; one after the other, nothing.
TEST(AnyOrderBoundTest, SaysLessThanTheBoundForAPoorOrder) {
  GraphBuilder b;
  b.Add("a1", {}, {1000}, 1000);
  b.Add("b1", {}, {1000}, 1000);
  b.Add("a2", {"a1:0"}, {10}, 1000);
  b.Add("b2", {"b1:0"}, {10}, 1000);
  b.Add("end", {"a2:0", "b2:0"}, {10}, 10);
  const Case c(b, b.file());
  EXPECT_GT(c.OrderBound(1100, /*copies=*/false), 4500e-9);
  EXPECT_NEAR(c.AnyOrderBound(1100, /*copies=*/false), 4010e-9, 1e-13);
}

// In a chain with uses at the end there is but one order.
TEST(AnyOrderBoundTest, IsAsGoodWhereThereIsOneOrder) {
  GraphBuilder b;
  b.Add("a", {}, {10}, 20);
  b.Add("c", {"a:0"}, {1}, 50);
  b.Add("big", {"c:0"}, {30}, 100);
  b.Add("d", {"big:0"}, {1}, 5);
  b.Add("use", {"a:0", "d:0"}, {1}, 100);
  const Case c(b, b.file());
  for (const bool copies : {false, true}) {
    const double bound = c.AnyOrderBound(40, copies);
    EXPECT_NEAR(bound, c.OrderBound(40, copies), 1e-6 * bound);
    EXPECT_GT(bound, 279e-9);
  }
}

// What is replaced after the cut in this order, and before it in another, counts as gone.
TEST(AnyOrderBoundTest, VariablesMayBeReplacedEarlier) {
  GraphBuilder b(/*external_bytes=*/100);
  b.AddArgument("v", 0);
  b.AddRead("read", "v", 100);
  b.Add("new", {}, {100}, 10);
  b.Add("cut", {}, {50}, 10);
  b.AddReplace("replace", "v", "new:0");
  const Graph graph = b.Build();
  const Costs costs = MeasuredCosts(b.file());
  const std::vector<NodeId> order = FirstRuns(KeepAll(graph, CapturedOrder(graph)));
  const CutProblem problem(graph, costs, order, 1);
  const Reach reach(graph, costs, order);
  const int cut = static_cast<int>(std::find(order.begin(), order.end(), graph.FindNode("cut")) - order.begin());
  const int64_t in_order = InOrderView(problem, cut, 1000).free_bytes;
  EXPECT_EQ(AnyOrderView(problem, reach, cut, 1000).free_bytes, in_order + 100);
}

Case RandomCase(uint64_t seed) {
  GraphBuilder builder = RandomTinyGraph(seed, /*most_nodes=*/7, /*equal_sizes=*/false);
  return Case(builder, builder.file());
}

TEST(AnyOrderBoundTest, NoProgramWithoutCopiesIsFaster) {
  int compared = 0, above_own_time = 0, tight = 0;
  for (uint64_t seed = 1; seed <= (LongTests() ? 50000 : 4000); ++seed) {
    const Case c = RandomCase(seed);
    for (const double share : {0.85, 0.7, 0.55}) {
      SCOPED_TRACE(absl::StrCat("seed ", seed, " at ", share));
      const int64_t budget = static_cast<int64_t>(share * c.keep.peak_bytes());
      const double fastest = LeastSecondsWithoutCopies(c.graph, c.costs, c.Order(), budget, FirstRunsIn::kAnyOrder);
      if (fastest == kNever) continue;
      const double bound = c.AnyOrderBound(budget, /*copies=*/false);
      EXPECT_LE(bound, fastest * (1 + kRounding));
      ++compared;
      above_own_time += bound > c.keep.seconds() * 1.001;
      tight += fastest > c.keep.seconds() * 1.001 && bound > fastest * 0.9999;
    }
  }
  std::printf("%d compared, %d above the nodes' own time, %d of them equal to the best plan\n", compared,
              above_own_time, tight);
  EXPECT_GT(compared, 300);
  EXPECT_GT(above_own_time, 30);
  EXPECT_GT(tight, 10);
}

void ForEachOrder(const Graph& graph, const std::vector<NodeId>& nodes, std::vector<NodeId>* order,
                  const std::function<void(const std::vector<NodeId>&)>& visit) {
  if (order->size() == nodes.size()) return visit(*order);
  const auto has_run = [&](NodeId node) { return std::find(order->begin(), order->end(), node) != order->end(); };
  for (const NodeId node : nodes) {
    if (has_run(node)) continue;
    const absl::Span<const TensorId> inputs = graph.inputs(node);
    if (!std::all_of(inputs.begin(), inputs.end(), [&](TensorId id) { return has_run(graph.tensor(id).node); })) {
      continue;
    }
    order->push_back(node);
    ForEachOrder(graph, nodes, order, visit);
    order->pop_back();
  }
}

// a is made early and taken late, with branches beside it; nothing may run twice.
Case RandomSwapCase(uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto draw = [&](int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(random);
  };
  GraphBuilder builder;
  const auto add = [&](const std::string& name, const std::vector<std::string>& inputs, int64_t units) {
    // A MiB takes a millisecond to copy.
    builder.Add(name, inputs, {kUnitBytes * units}, 1000000 * draw(1, 8))->set_recompute(config::RECOMPUTE_RANDOM);
  };
  add("a", {}, draw(2, 5));
  add("m", {"a:0"}, draw(1, 2));
  add("big", {"m:0"}, draw(3, 7));
  add("side", draw(0, 1) == 0 ? std::vector<std::string>{"m:0"} : std::vector<std::string>{}, draw(1, 3));
  add("small", {"big:0"}, 1);
  add("use", {"small:0", "side:0", "a:0"}, 1);
  return Case(builder, builder.file());
}

// The least time of programs in any order that swap a at most once, whenever they will.
double FastestWithASwap(const Case& c, int64_t budget_bytes) {
  const TensorId a = c.graph.node(c.graph.FindNode("a")).first_tensor;
  Simulator simulator(&c.graph, &c.costs);
  Simulation simulation;
  double fastest = kNever;
  std::vector<NodeId> begun;
  ForEachOrder(c.graph, c.Order(), &begun, [&](const std::vector<NodeId>& order) {
    const int nodes = static_cast<int>(order.size());
    for (int out = 1; out <= nodes; ++out) {
      for (int wait = out; wait <= nodes; ++wait) {
        for (int in = wait; in <= nodes; ++in) {
          Program program;
          for (int i = 0; i < nodes; ++i) {
            if (i == out) program.push_back({Action::kSwapOut, a});
            if (i == wait) program.push_back({Action::kSwapOutWait, a});
            if (i == in) program.push_back({Action::kSwapIn, a});
            program.push_back({Action::kRun, order[i]});
          }
          if (!simulator.Run(program, SimulationDetail(), &simulation).ok()) continue;
          if (simulation.peak_bytes <= budget_bytes) fastest = std::min(fastest, simulation.seconds);
        }
      }
    }
  });
  return fastest;
}

TEST(AnyOrderBoundTest, NoProgramWithASwapIsFaster) {
  int compared = 0, above_own_time = 0, tight = 0;
  for (uint64_t seed = 1; seed <= (LongTests() ? 2000 : 150); ++seed) {
    const Case c = RandomSwapCase(seed);
    for (const double share : {0.9, 0.75, 0.65}) {
      SCOPED_TRACE(absl::StrCat("seed ", seed, " at ", share));
      const int64_t budget = static_cast<int64_t>(share * c.keep.peak_bytes());
      const double fastest = FastestWithASwap(c, budget);
      if (fastest == kNever) continue;
      const double bound = c.AnyOrderBound(budget, /*copies=*/true);
      EXPECT_LE(bound, fastest * (1 + kRounding));
      ++compared;
      above_own_time += bound > c.keep.seconds() * 1.001;
      tight += fastest > c.keep.seconds() * 1.001 && bound > fastest * 0.999;
    }
  }
  std::printf("%d compared, %d above the nodes' own time, %d of them equal to the best plan\n", compared,
              above_own_time, tight);
  EXPECT_GT(compared, 100);
  EXPECT_GT(above_own_time, 20);
  EXPECT_GT(tight, 5);
}

// Plans choose among many orders; the bound is computed from the captured one.
TEST(AnyOrderBoundTest, NoPlanOfATrainingGraphIsFaster) {
  int plans = 0;
  for (uint64_t seed = 1; seed <= (LongTests() ? 200 : 10); ++seed) {
    const config::GraphFile file = RandomTrainingGraph({.seed = seed, .layers = 2 + static_cast<int>(seed % 4)});
    const Graph graph = *Graph::FromFile(file);
    const Costs costs = MeasuredCosts(file);
    const Program keep = KeepAll(graph, CapturedOrder(graph));
    const int64_t peak = Judge(graph, costs, keep)->peak_bytes();
    for (const char* name : {"str", "recompute-only", "swap-only"}) {
      const strategies::Planner* const planner = strategies::FindPlanner(name);
      for (const double share : {0.9, 0.7}) {
        SCOPED_TRACE(absl::StrCat("seed ", seed, ", ", name, " at ", share));
        strategies::PlanRequest request;
        request.graph = &graph;
        request.costs = &costs;
        request.budget_bytes = static_cast<int64_t>(share * static_cast<double>(peak));
        const absl::StatusOr<strategies::PlanResult> result = planner->Plan(request, nullptr, nullptr);
        ASSERT_TRUE(result.ok()) << result.status();
        if (result->program.empty()) continue;
        StepBoundOptions options;
        options.budget_bytes = request.budget_bytes;
        options.copies = planner->copies();
        const absl::StatusOr<double> bound = FindAnyOrderBound(graph, costs, FirstRuns(keep), options);
        ASSERT_TRUE(bound.ok()) << bound.status();
        EXPECT_LE(*bound, Judge(graph, costs, result->program)->seconds() * (1 + kRounding));
        ++plans;
      }
    }
  }
  EXPECT_GT(plans, 12);
}

}  // namespace
}  // namespace str::optimizer
