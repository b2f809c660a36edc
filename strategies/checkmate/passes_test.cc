#include "strategies/checkmate/passes.h"

#include <algorithm>

#include "gtest/gtest.h"
#include "optimizer/testing/graph_builder.h"
#include "optimizer/testing/program_text.h"
#include "optimizer/testing/training_graph.h"
#include "strategies/checkmate/articulation.h"
#include "strategies/checkmate/testing_chain.h"

namespace str::strategies {
namespace {

using optimizer::Graph;
using optimizer::GraphBuilder;

StagedGraph Stage(const Graph& graph, const config::GraphFile& file) {
  return StagedGraph(graph, optimizer::MeasuredCosts(file), optimizer::CapturedOrder(graph), {});
}

std::string Letters(const Passes& passes) {
  std::string letters;
  for (const Role role : passes.roles) {
    letters += role == Role::kForward ? 'f' : role == Role::kBackward ? 'b' : 'o';
  }
  return letters;
}

TEST(PassesTest, ChainsAreMirrored) {
  const Passes passes = FindPasses(UnitChain(4), nullptr);
  EXPECT_TRUE(passes.mirrored);
  EXPECT_EQ(Letters(passes), "ffffbbbbb");
  EXPECT_EQ(passes.candidates, (std::vector<int>{0, 1, 2, 3}));
  EXPECT_EQ(passes.articulation_points, passes.candidates);
  EXPECT_EQ(passes.layer, (std::vector<int>{0, 1, 2, 3, 3, 3, 2, 1, 0}));
}

// A captured step in small: weights, a metric, a sum of gradients without TensorFlow's prefix, a straggler at the end.
class CapturedPassesTest : public ::testing::Test {
 protected:
  CapturedPassesTest() {
    b_.AddArgument("w", 8);
    b_.AddRead("read", "w", 50);                                                       // 0
    b_.Add("x", {}, {100});                                                            // 1
    b_.Add("conv", {"x:0", "read:0"}, {100});                                          // 2
    b_.Add("relu", {"conv:0"}, {100})->mutable_output(0)->add_forwards_input(0);       // 3
    b_.Add("pool", {"relu:0"}, {100});                                                 // 4
    b_.Add("add", {"pool:0", "relu:0"}, {100});                                        // 5
    b_.Add("metric", {"add:0"}, {4});                                                  // 6
    b_.Add("gradient_tape/add", {"add:0"}, {100});                                     // 7
    b_.Add("gradient_tape/pool", {"gradient_tape/add:0", "pool:0", "relu:0"}, {100});  // 8
    b_.Add("AddN", {"gradient_tape/pool:0", "gradient_tape/add:0"}, {100});            // 9
    b_.Add("gradient_tape/conv", {"AddN:0", "x:0"}, {50});                             // 10
    b_.AddUpdate("update", "w", "gradient_tape/conv:0");                               // 11
    b_.AddResult("result", "metric:0");
  }

  GraphBuilder b_;
};

TEST_F(CapturedPassesTest, RolesFollowFromNamesAndEdges) {
  const Graph graph = b_.Build();
  const Passes passes = FindPasses(Stage(graph, b_.file()), &graph);
  EXPECT_FALSE(passes.mirrored);
  EXPECT_EQ(Letters(passes), "ffffffobbbbb");
  // Neither what is only an intermediate nor what may not run again.
  EXPECT_EQ(passes.candidates, (std::vector<int>{1, 3, 4, 5}));
  // The pool is on one of two ways.
  EXPECT_EQ(passes.articulation_points, (std::vector<int>{1, 3, 5}));
  EXPECT_EQ(passes.layer, (std::vector<int>{0, 1, 2, 3, 4, 5, 5, 5, 3, 3, 1, 1}));
}

TEST_F(CapturedPassesTest, WithoutNamesTheTurnIsWhereMostIsInUse) {
  for (config::Node& node : *b_.file().mutable_node()) {
    const auto plain = [](std::string name) {
      const size_t prefix = name.find("gradient_tape/");
      return prefix == 0 ? "g_" + name.substr(14) : name;
    };
    node.set_name(plain(node.name()));
    for (std::string& input : *node.mutable_input()) input = plain(input);
  }
  const Graph graph = b_.Build();
  const Passes passes = FindPasses(Stage(graph, b_.file()), &graph);
  EXPECT_EQ(Letters(passes), "ffffffbbbbbb");
}

TEST_F(CapturedPassesTest, SmallValuesAreNoCandidates) {
  b_.file().mutable_node(2)->mutable_output(0)->set_bytes(3);
  const Graph graph = b_.Build();
  const Passes passes = FindPasses(Stage(graph, b_.file()), &graph);
  EXPECT_EQ(passes.candidates, (std::vector<int>{3, 4, 5}));
  EXPECT_TRUE(passes.small[1]);
  EXPECT_FALSE(passes.small[3]);
}

TEST(PassesTest, RandomTrainingGraphsHaveBothPasses) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    optimizer::TrainingGraphOptions options;
    options.seed = seed;
    const config::GraphFile file = optimizer::RandomTrainingGraph(options);
    const Graph graph = *Graph::FromFile(file);
    const StagedGraph staged = Stage(graph, file);
    const Passes passes = FindPasses(staged, &graph);
    EXPECT_GE(passes.candidates.size(), 4);
    EXPECT_FALSE(passes.articulation_points.empty());
    EXPECT_TRUE(std::includes(passes.candidates.begin(), passes.candidates.end(), passes.articulation_points.begin(),
                              passes.articulation_points.end()));
  }
}

TEST(ArticulationTest, FindsWhatHoldsAGraphTogether) {
  StagedGraph graph;
  const auto add = [&](std::vector<int> inputs) {
    StagedNode node;
    node.bytes = 1;
    node.inputs = std::move(inputs);
    graph.Add(std::move(node));
  };
  // 0 - 1 - (2, 3) - 4, and a loose end 5 of 3; 6 ends it.
  for (const std::vector<int>& inputs : std::vector<std::vector<int>>{{}, {0}, {1}, {1}, {2, 3}, {3}, {4}}) add(inputs);
  EXPECT_EQ(ArticulationPoints(graph, {0, 1, 2, 3, 4, 5, 6}), (std::vector<int>{0, 1, 3, 4, 6}));
  EXPECT_EQ(Backbone(graph, {0, 1, 2, 3, 4, 5, 6}), (std::vector<int>{0, 1, 2, 3, 4, 6}));
  EXPECT_EQ(ArticulationPoints(graph, {0, 1, 2, 3, 4, 6}), (std::vector<int>{0, 1, 4, 6}));
  EXPECT_TRUE(ArticulationPoints(graph, {}).empty());
  EXPECT_TRUE(Backbone(graph, {}).empty());
}

}  // namespace
}  // namespace str::strategies
