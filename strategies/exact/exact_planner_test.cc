// `str-exact` against brute force on tiny random graphs: it is never beaten, and its bound is never exceeded. A failure
// prints the seed.
#include "strategies/exact/exact_planner.h"

#include <cstdlib>
#include <limits>
#include <random>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "optimizer/bound/step_bound.h"
#include "optimizer/importers/graph_reader.h"
#include "optimizer/placement/fit.h"
#include "optimizer/testing/graph_builder.h"
#include "optimizer/testing/program_text.h"
#include "optimizer/testing/shared_data.h"
#include "optimizer/testing/tiny_graph.h"

namespace str::strategies {
namespace {

using optimizer::Action;
using optimizer::Costs;
using optimizer::Fit;
using optimizer::Graph;
using optimizer::GraphBuilder;
using optimizer::kNone;
using optimizer::NodeId;
using optimizer::Program;

constexpr int64_t kUnitBytes = 1 << 20;
constexpr double kNever = std::numeric_limits<double>::infinity();

bool LongTests() { return std::getenv("STR_LONG_TESTS") != nullptr; }

struct Case {
  Graph graph;
  Costs costs;
  int64_t peak_bytes = 0;
  double seconds = 0;
};

Case MakeCase(const GraphBuilder& builder, const config::GraphFile& file) {
  Case c{builder.Build(), optimizer::MeasuredCosts(file), 0, 0};
  const absl::StatusOr<optimizer::Verdict> keep =
      optimizer::Judge(c.graph, c.costs, optimizer::KeepAll(c.graph, optimizer::CapturedOrder(c.graph)));
  EXPECT_TRUE(keep.ok()) << keep.status();
  c.peak_bytes = keep->peak_bytes();
  c.seconds = keep->seconds();
  return c;
}

PlanResult PlanExactly(const Case& c, int64_t budget_bytes) {
  PlanRequest request;
  request.graph = &c.graph;
  request.costs = &c.costs;
  request.budget_bytes = budget_bytes;
  request.gap = 0;
  absl::StatusOr<PlanResult> result = ExactPlanner().Plan(request, nullptr, nullptr);
  EXPECT_TRUE(result.ok()) << result.status();
  return result.ok() ? *std::move(result) : PlanResult();
}

double Seconds(const Case& c, const Program& program, int64_t budget_bytes) {
  const absl::StatusOr<Fit> fit = optimizer::FitProgram(c.graph, c.costs, program, budget_bytes);
  EXPECT_TRUE(fit.ok()) << fit.status();
  return fit.ok() && fit->fit_bytes <= budget_bytes ? fit->verdict.seconds() : kNever;
}

Case RandomCase(uint64_t seed, bool equal_sizes) {
  GraphBuilder builder = optimizer::RandomTinyGraph(seed, /*most_nodes=*/8, equal_sizes);
  return MakeCase(builder, builder.file());
}

TEST(ExactPlannerTest, IsNeverBeatenWithoutCopies) {
  int planned = 0, optimal = 0, slower_than_kept = 0;
  for (uint64_t seed = 1; seed <= (LongTests() ? 30000 : 2500); ++seed) {
    const bool equal_sizes = seed % 2 == 0;
    const Case c = RandomCase(seed, equal_sizes);
    for (const double share : {0.85, 0.7, 0.55}) {
      SCOPED_TRACE(absl::StrCat("seed ", seed, " at ", share));
      const int64_t budget = static_cast<int64_t>(share * c.peak_bytes);
      const PlanResult result = PlanExactly(c, budget);
      if (result.program.empty()) continue;
      const double seconds = Seconds(c, result.program, budget);
      const double fastest = optimizer::LeastSecondsWithoutCopies(
          c.graph, c.costs, optimizer::FirstRuns(result.program), budget, optimizer::FirstRunsIn::kThisOrder);
      if (fastest == kNever) {
        // Only copies get along with so little.
        EXPECT_GT(seconds, 1);
        continue;
      }
      EXPECT_GE(seconds, fastest * (1 - 1e-9));
      EXPECT_LE(result.bound_seconds, fastest * (1 + 1e-9));
      // Buffers of several sizes cannot always be placed as brute force assumes.
      if (result.status == PlanStatus::kOptimal || equal_sizes) {
        EXPECT_LE(seconds, fastest * (1 + 1e-5));
      }
      if (result.status == PlanStatus::kOptimal) {
        EXPECT_LE(seconds, result.bound_seconds * (1 + kOptimalGap));
      }
      ++planned;
      optimal += result.status == PlanStatus::kOptimal;
      slower_than_kept += seconds > c.seconds * 1.001;
    }
  }
  std::printf("%d planned, %d proven optimal, %d slower than with everything kept\n", planned, optimal,
              slower_than_kept);
  EXPECT_GT(planned, 600);
  EXPECT_GT(slower_than_kept, 300);
  EXPECT_GT(optimal, planned * 9 / 10);
}

// a and b are made first and taken last, and sometimes in between; nothing may run twice.
Case RandomSwapCase(uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto draw = [&](int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(random);
  };
  GraphBuilder builder;
  const auto add = [&](const std::string& name, const std::vector<std::string>& inputs) {
    // A MiB takes a millisecond to copy.
    builder.Add(name, inputs, {kUnitBytes * draw(1, 4)}, 1000000 * draw(1, 8))->set_recompute(config::RECOMPUTE_RANDOM);
  };
  add("a", {});
  add("b", {});
  std::string last = "b:0";
  const int between = static_cast<int>(draw(2, 3));
  for (int i = 0; i < between; ++i) {
    const std::string name = absl::StrCat("m", i);
    std::vector<std::string> inputs;
    if (i > 0) inputs.push_back(last);
    if (draw(0, 3) == 0) inputs.push_back(draw(0, 1) == 0 ? "a:0" : "b:0");
    add(name, inputs);
    last = name + ":0";
  }
  add("use_b", {last, "b:0"});
  add("use_a", {"use_b:0", "a:0"});
  return MakeCase(builder, builder.file());
}

// The least time of programs that swap a and b at most once each, whenever they will.
double FastestWithSwaps(const Case& c, const std::vector<NodeId>& order, int64_t budget_bytes) {
  const int nodes = static_cast<int>(order.size());
  struct Swap {
    int out, wait, in;
  };
  std::vector<Swap> swaps = {{nodes + 1, nodes + 1, nodes + 1}};
  for (int out = 1; out < nodes; ++out) {
    for (int wait = out; wait < nodes; ++wait) {
      for (int in = wait; in < nodes; ++in) swaps.push_back({out, wait, in});
    }
  }
  const optimizer::TensorId tensors[] = {c.graph.node(c.graph.FindNode("a")).first_tensor,
                                         c.graph.node(c.graph.FindNode("b")).first_tensor};
  double fastest = kNever;
  optimizer::Simulator simulator(&c.graph, &c.costs);
  optimizer::Simulation simulation;
  for (const Swap& a : swaps) {
    for (const Swap& b : swaps) {
      for (const bool b_first : {false, true}) {
        Program program;
        for (int position = 0; position < nodes; ++position) {
          for (const bool is_b : {b_first, !b_first}) {
            const Swap& swap = is_b ? b : a;
            if (swap.out == position) program.push_back({Action::kSwapOut, tensors[is_b]});
            if (swap.wait == position) program.push_back({Action::kSwapOutWait, tensors[is_b]});
            if (swap.in == position) program.push_back({Action::kSwapIn, tensors[is_b]});
          }
          program.push_back({Action::kRun, order[position]});
        }
        if (!simulator.Run(program, optimizer::SimulationDetail(), &simulation).ok()) continue;
        if (simulation.peak_bytes > budget_bytes || simulation.seconds >= fastest) continue;
        if (Seconds(c, program, budget_bytes) < kNever) fastest = simulation.seconds;
      }
    }
  }
  return fastest;
}

TEST(ExactPlannerTest, IsNeverBeatenBySwaps) {
  // Many drawn graphs have an order in which nothing need be dropped.
  int planned = 0, optimal = 0, swapped = 0;
  for (uint64_t seed = 1; seed <= (LongTests() ? 4000 : 300); ++seed) {
    const Case c = RandomSwapCase(seed);
    for (const double share : {0.9, 0.75, 0.6}) {
      SCOPED_TRACE(absl::StrCat("seed ", seed, " at ", share));
      const int64_t budget = static_cast<int64_t>(share * c.peak_bytes);
      const PlanResult result = PlanExactly(c, budget);
      if (result.program.empty()) continue;
      const double seconds = Seconds(c, result.program, budget);
      const double fastest = FastestWithSwaps(c, optimizer::FirstRuns(result.program), budget);
      EXPECT_LE(result.bound_seconds, seconds);
      EXPECT_LE(result.bound_seconds, fastest * (1 + 1e-9));
      EXPECT_LE(seconds, fastest * (1 + 1e-5));
      ++planned;
      optimal += result.status == PlanStatus::kOptimal;
      swapped += seconds > c.seconds * 1.001;
    }
  }
  std::printf("%d planned, %d proven optimal, %d slower than with everything kept\n", planned, optimal, swapped);
  EXPECT_GT(planned, 120);
  EXPECT_GT(swapped, 80);
}

TEST(ExactPlannerTest, KeepsTheBestPlanWhenStopped) {
  const Case c = RandomSwapCase(7);
  PlanRequest request;
  request.graph = &c.graph;
  request.costs = &c.costs;
  request.budget_bytes = c.peak_bytes;
  request.gap = 0;
  const std::atomic<bool> stop(true);
  const absl::StatusOr<PlanResult> result = ExactPlanner().Plan(request, nullptr, &stop);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_LE(result->bound_seconds, c.seconds);
}

// Proven optima of synthetic graphs, in percent over the time with everything kept.
TEST(ExactPlannerTest, ReachesKnownOptima) {
  const std::string path = optimizer::SharedData("planning_graphs/vgg16_b256.json");
  if (path.empty()) GTEST_SKIP() << optimizer::kNoSharedData;
  const absl::StatusOr<config::GraphFile> file = optimizer::ReadAnyGraph(path, optimizer::kDefaultCostUnit);
  ASSERT_TRUE(file.ok()) << file.status();
  Case c{*Graph::FromFile(*file), optimizer::MeasuredCosts(*file), 0, 0};
  const absl::StatusOr<optimizer::Verdict> keep =
      optimizer::Judge(c.graph, c.costs, optimizer::KeepAll(c.graph, optimizer::CapturedOrder(c.graph)));
  ASSERT_TRUE(keep.ok()) << keep.status();
  const int64_t budget = static_cast<int64_t>(0.7 * keep->peak_bytes());
  const PlanResult result = PlanExactly(c, budget);
  EXPECT_EQ(result.status, PlanStatus::kOptimal);
  EXPECT_NEAR(100 * (Seconds(c, result.program, budget) / keep->seconds() - 1), 0.531, 0.001);
}

}  // namespace
}  // namespace str::strategies
