#include "optimizer/graph/graph.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "optimizer/testing/graph_builder.h"

namespace str::optimizer {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(GraphTest, ResolvesNamesIntoIds) {
  GraphBuilder b(/*external_bytes=*/50, /*granule_bytes=*/256);
  b.AddArgument("w", 8);
  b.AddRead("read", "w", 300);
  b.Add("x", {"read:0"}, {100, 1000})->set_temporary_bytes(1);
  b.AddView("view", "x:1", 1000);
  b.Add("sum", {"view:0", "x:0", "x:0"}, {100})->add_control("read");
  b.file().mutable_node(4)->mutable_output(0)->add_forwards_input(1);
  b.AddUpdate("update", "w", "sum:0");
  b.AddResult("result", "x:0");
  const Graph graph = b.Build();

  EXPECT_EQ(graph.node_count(), 7);
  EXPECT_EQ(graph.program_nodes(), 5);
  EXPECT_EQ(graph.external_bytes(), 50);
  const NodeId x = graph.FindNode("x");
  const TensorId x0 = graph.node(x).first_tensor;
  EXPECT_EQ(graph.tensor(x0).rounded_bytes, 256);
  EXPECT_EQ(graph.tensor(x0 + 1).rounded_bytes, 1024);
  EXPECT_EQ(graph.node(x).temporary_bytes, 256);
  EXPECT_EQ(graph.tensor(x0).outside_uses, 1);
  EXPECT_EQ(graph.TensorName(x0 + 1), "x:1");

  const NodeId sum = graph.FindNode("sum");
  const TensorId view = graph.node(graph.FindNode("view")).first_tensor;
  EXPECT_THAT(graph.inputs(sum), ElementsAre(view, x0, x0));
  EXPECT_EQ(graph.tensor(view).view_of, x0 + 1);
  EXPECT_THAT(graph.controls(sum), ElementsAre(graph.FindNode("read")));
  EXPECT_THAT(graph.forwards(graph.node(sum).first_tensor), ElementsAre(1));
  EXPECT_THAT(graph.consumers(x0), ElementsAre(sum, sum, graph.FindNode("result")));

  EXPECT_EQ(graph.variable_count(), 1);
  EXPECT_EQ(graph.variable_bytes(0), 512);
  EXPECT_EQ(graph.node(graph.FindNode("update")).variable, 0);
  EXPECT_FALSE(graph.node(graph.FindNode("read")).MayRerun());
  EXPECT_EQ(graph.FindNode("nothing"), kNone);
}

TEST(GraphTest, NamesTheNodeThatCannotBeResolved) {
  GraphBuilder b;
  b.Add("a", {"missing:0"}, {1});
  EXPECT_THAT(Graph::FromFile(b.file()).status().message(), HasSubstr("\"a\": input \"missing:0\""));
  b.file().mutable_node(0)->set_input(0, "a:0");
  EXPECT_THAT(Graph::FromFile(b.file()).status().message(), HasSubstr("comes later"));
  b.file().mutable_node(0)->clear_input();
  b.Add("b", {"a:3"}, {1});
  EXPECT_THAT(Graph::FromFile(b.file()).status().message(), HasSubstr("has only 1 outputs"));
  b.file().mutable_node(1)->set_input(0, "a:0");
  b.file().mutable_node(1)->set_name("a");
  EXPECT_THAT(Graph::FromFile(b.file()).status().message(), HasSubstr("two nodes are named \"a\""));
}

}  // namespace
}  // namespace str::optimizer
