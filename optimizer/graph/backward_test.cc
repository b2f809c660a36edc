#include "optimizer/graph/backward.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "optimizer/testing/graph_builder.h"

namespace str::optimizer {
namespace {

// The names of the nodes that are backward, in order.
std::string Names(const Graph& graph, const BackwardPass& pass) {
  std::string names;
  for (NodeId id = 0; id < graph.node_count(); ++id) {
    if (pass.nodes[id]) absl::StrAppend(&names, names.empty() ? "" : " ", graph.name(id));
  }
  return names;
}

TEST(BackwardTest, TheMakerOfTheGraphMaySay) {
  GraphBuilder b;
  b.Add("a", {}, {10});
  b.Add("b", {"a:0"}, {20});
  b.Add("d_b", {"b:0"}, {20})->set_recompute(config::RECOMPUTE_NOT_WANTED);
  b.Add("metric", {"b:0"}, {1});
  b.Add("update", {"d_b:0"}, {1});
  const Graph graph = b.Build();
  const BackwardPass pass = FindBackward(graph);
  EXPECT_TRUE(pass.known);
  EXPECT_EQ(Names(graph, pass), "d_b update");
}

TEST(BackwardTest, OrTensorFlowsNames) {
  for (const char* name : {"gradient_tape/conv", "model/gradient_tape/conv", "gradients/conv", "Adam/gradients/conv"}) {
    GraphBuilder b;
    b.Add("conv", {}, {10});
    b.Add(name, {"conv:0"}, {20});
    b.Add("my_gradients/conv", {"conv:0"}, {10});
    b.Add("Adam/update", {absl::StrCat(name, ":0")}, {1});
    b.AddResult("result", "Adam/update:0");
    const Graph graph = b.Build();
    const BackwardPass pass = FindBackward(graph);
    EXPECT_TRUE(pass.known);
    EXPECT_EQ(Names(graph, pass), absl::StrCat(name, " Adam/update result"));
  }
}

// TensorFlow has one constant for equal ones, by the name of any of them.
TEST(BackwardTest, AConstantOfTheBackwardPassMakesNobodyBackward) {
  GraphBuilder b;
  b.AddArgument("gradient_tape/shape", 8);
  b.Add("reshape", {"gradient_tape/shape:0"}, {10});
  b.Add("conv", {"reshape:0"}, {10});
  b.Add("gradient_tape/conv", {"conv:0", "gradient_tape/shape:0"}, {20});
  const Graph graph = b.Build();
  EXPECT_EQ(Names(graph, FindBackward(graph)), "gradient_tape/conv");
}

// While c runs, b and c are in use, and v of b; views, results without bytes and what nobody takes do not count.
TEST(BackwardTest, OtherwiseItIsWhatComesAfterMostIsInUse) {
  GraphBuilder b;
  b.AddArgument("x", 1000);
  b.Add("a", {"x:0"}, {10});
  b.Add("b", {"a:0"}, {20});
  b.AddView("v", "b:0", 20);
  b.Add("c", {"b:0"}, {30});
  b.Add("nothing", {"c:0"}, {0});
  b.Add("d", {"c:0", "nothing:0"}, {5});
  b.Add("e", {"d:0", "v:0"}, {5});
  const Graph graph = b.Build();
  const BackwardPass pass = FindBackward(graph);
  EXPECT_FALSE(pass.known);
  EXPECT_EQ(Names(graph, pass), "nothing d e");
}

}  // namespace
}  // namespace str::optimizer
