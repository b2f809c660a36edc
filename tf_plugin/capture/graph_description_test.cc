#include "tf_plugin/capture/graph_description.h"

#include <string>
#include <vector>

#include "absl/log/log.h"
#include "config/graph_validator.h"
#include "config/status_testing.h"
#include "gtest/gtest.h"
#include "tf_plugin/testing/graph_builder.h"

namespace str::capture {
namespace {

using tensorflow::DT_FLOAT;
using tensorflow::DT_RESOURCE;
using tensorflow::PartialTensorShape;
using testing::GraphBuilder;
using Strings = std::vector<std::string>;

template <typename Field>
Strings ToVector(const Field& field) {
  return Strings(field.begin(), field.end());
}

class GraphDescriptionTest : public ::testing::Test {
 protected:
  config::GraphFile Describe() {
    view_ = graph::MakeGraphView(b_.graph());
    config::GraphFile graph = DescribeGraph(view_, "step", "CPU:0");
    EXPECT_OK(config::ValidateGraph(graph));
    return graph;
  }

  // The variable "v", [3,5], as a function's argument.
  void AddVariableArgument() {
    b_.Add("_Arg", "v", {},
           {{"T", DT_RESOURCE},
            {"index", 9},
            {"_handle_shapes", std::vector<PartialTensorShape>{PartialTensorShape({3, 5})}},
            {"_handle_dtypes", tensorflow::DataTypeVector{DT_FLOAT}}});
  }

  GraphBuilder b_;
  graph::GraphView view_;
};

const config::Node& Find(const config::GraphFile& graph, const std::string& name) {
  for (const config::Node& node : graph.node()) {
    if (node.name() == name) return node;
  }
  LOG(FATAL) << "no node " << name;
}

TEST_F(GraphDescriptionTest, TheFileSaysWhatGraphItIs) {
  b_.Argument("x", DT_FLOAT, PartialTensorShape({2}));
  const config::GraphFile graph = Describe();
  EXPECT_EQ(graph.name(), "step");
  EXPECT_EQ(graph.device(), "CPU:0");
  EXPECT_EQ(graph.fingerprint(), view_.fingerprint);
  EXPECT_EQ(graph.tensorflow_version(), "2.21.0");
  EXPECT_EQ(graph.allocation_granule_bytes(), 256);
  EXPECT_EQ(graph.steps_measured(), 0);
}

TEST_F(GraphDescriptionTest, NodesCarryTheirEdgesInOrder) {
  b_.Argument("x", DT_FLOAT, PartialTensorShape({4, 6}), 0);
  b_.Argument("w", DT_FLOAT, PartialTensorShape({6, 8}), 1);
  b_.Add("Neg", "first", {"x"});
  b_.Add("Neg", "second", {"x"});
  b_.Add("MatMul", "y", {"first", "w", "^second", "^w"});
  const config::GraphFile graph = Describe();
  const config::Node& y = Find(graph, "y");
  EXPECT_EQ(y.op(), "MatMul");
  EXPECT_EQ(ToVector(y.input()), Strings({"first:0", "w:0"}));
  EXPECT_EQ(ToVector(y.control()), Strings({"second", "w"}));
  ASSERT_EQ(y.output_size(), 1);
  EXPECT_EQ(y.output(0).bytes(), 4 * 8 * 4);
  EXPECT_EQ(y.flops(), 2 * 4 * 6 * 8);
  EXPECT_EQ(y.moved_bytes(), (24 + 48 + 32) * 4);
  EXPECT_EQ(y.recompute(), config::RECOMPUTE_ALLOWED);
  for (int i = 0; i < graph.node_size(); ++i) EXPECT_EQ(graph.node(i).name(), view_.order[i]->name());
}

TEST_F(GraphDescriptionTest, OutputsThatShareBuffersSayWithWhom) {
  b_.Argument("x", DT_FLOAT, PartialTensorShape({4, 6}));
  b_.Ints("shape", {24});
  b_.Add("Exp", "exp", {"x"});
  b_.Add("Reshape", "view", {"exp", "shape"});
  b_.Add("AddV2", "sum", {"view", "view"});
  b_.Add("MatMul", "product", {"exp", "x"}, {{"transpose_b", true}});
  const config::GraphFile graph = Describe();
  EXPECT_EQ(Find(graph, "view").output(0).view_of_input_plus1(), 1);
  EXPECT_TRUE(Find(graph, "view").output(0).forwards_input().empty());
  EXPECT_EQ(Find(graph, "sum").output(0).forwards_input_size(), 2);
  EXPECT_EQ(Find(graph, "sum").output(0).view_of_input_plus1(), 0);
  EXPECT_TRUE(Find(graph, "product").output(0).forwards_input().empty());
}

TEST_F(GraphDescriptionTest, VariablesAreNamedByWhoHoldsThem) {
  AddVariableArgument();
  b_.Add("ReadVariableOp", "read", {"v"}, {{"dtype", DT_FLOAT}});
  b_.Add("Neg", "neg", {"read"});
  b_.Add("AssignSubVariableOp", "update", {"v", "neg"});
  const config::GraphFile graph = Describe();
  EXPECT_EQ(Find(graph, "read").variable(), "v");
  EXPECT_EQ(Find(graph, "read").variable_use(), config::VARIABLE_READ);
  EXPECT_TRUE(Find(graph, "read").output(0).external()) << "the variable's own buffer";
  EXPECT_EQ(Find(graph, "update").variable(), "v");
  EXPECT_EQ(Find(graph, "update").variable_use(), config::VARIABLE_UPDATE);
  EXPECT_EQ(Find(graph, "neg").variable(), "");
  EXPECT_FALSE(Find(graph, "neg").output(0).external());
}

TEST_F(GraphDescriptionTest, ArgumentsAndConstantsAreExternal) {
  b_.Argument("x", DT_FLOAT, PartialTensorShape({2}));
  b_.Floats("c", {2});
  b_.Add("AddV2", "y", {"x", "c"});
  const config::GraphFile graph = Describe();
  EXPECT_TRUE(Find(graph, "x").output(0).external());
  EXPECT_TRUE(Find(graph, "c").output(0).external());
  EXPECT_FALSE(Find(graph, "y").output(0).external());
}

TEST_F(GraphDescriptionTest, ALoopIsDescribedWithoutItsBackEdge) {
  b_.Floats("start", {});
  b_.Floats("limit", {});
  b_.Add("Enter", "enter", {"start"}, {{"frame_name", "w"}});
  b_.Add("Enter", "limit_enter", {"limit"}, {{"frame_name", "w"}, {"is_constant", true}});
  b_.Add("Merge", "merge", {"enter", "enter"});
  b_.Add("Less", "less", {"merge", "limit_enter"});
  b_.Add("LoopCond", "cond", {"less"});
  b_.Add("Switch", "switch", {"merge", "cond"});
  b_.Add("AddV2", "body", {"switch:1", "limit_enter"});
  b_.Add("NextIteration", "next", {"body"});
  b_.Redirect("merge", 1, "next");
  b_.Add("Exit", "exit", {"switch:0"});
  b_.Add("Neg", "after", {"exit"});
  const config::GraphFile graph = Describe();
  EXPECT_EQ(ToVector(Find(graph, "merge").input()), Strings({"enter:0"}));
  EXPECT_EQ(Find(graph, "body").recompute(), config::RECOMPUTE_CONTROL_FLOW);
  EXPECT_TRUE(Find(graph, "body").output(0).external());
}

TEST_F(GraphDescriptionTest, ExternalBytesFromShapesAreArgumentsConstantsAndVariables) {
  b_.Argument("x", DT_FLOAT, PartialTensorShape({100}));  // 400 -> 512
  b_.Floats("c", {100});                                  // 400 -> 512
  AddVariableArgument();                                  // 60 -> 256; its handle is no device memory
  b_.Add("ReadVariableOp", "read", {"v"}, {{"dtype", DT_FLOAT}});
  b_.Add("AddV2", "y", {"x", "c"});
  config::GraphFile graph = Describe();
  EXPECT_OK(FillBytesFromShapes(view_, graph));
  EXPECT_EQ(graph.external_bytes(), 512 + 512 + 256);
  EXPECT_EQ(Find(graph, "y").output(0).bytes(), 400);
}

TEST_F(GraphDescriptionTest, AnUnknownSizeIsRefusedByItsNode) {
  b_.Floats("known", {4});
  b_.Argument("x", DT_FLOAT, PartialTensorShape({-1, 4}));
  b_.Add("AddV2", "y", {"x", "known"});
  config::GraphFile graph = Describe();
  EXPECT_TRUE(config::IsInvalid(FillBytesFromShapes(view_, graph),
                                "node 'x' (_Arg) has an output of unknown size, float[?,4]"));
}

TEST_F(GraphDescriptionTest, HandlesAndStringsHaveNoSizeToKnow) {
  b_.Argument("x", DT_FLOAT, PartialTensorShape({4}));
  b_.Add("AsString", "text", {"x"});
  b_.Variable("v", {2});
  config::GraphFile graph = Describe();
  EXPECT_OK(FillBytesFromShapes(view_, graph));
}

TEST_F(GraphDescriptionTest, AllThatEntersALoopComesBeforeAllThatLeavesIt) {
  b_.Argument("x", DT_FLOAT, PartialTensorShape({}), 0);
  b_.Argument("late", DT_FLOAT, PartialTensorShape({}), 1);
  b_.Add("Enter", "a", {"x"}, {{"frame_name", "loop"}});
  b_.Add("Enter", "b", {"late"}, {{"frame_name", "loop"}});
  b_.Add("Merge", "merge", {"a", "a"});
  b_.Add("Less", "less", {"merge", "merge"});
  b_.Add("LoopCond", "condition", {"less"});
  b_.Add("Switch", "switch", {"merge", "condition"});
  b_.Add("Add", "sum", {"switch:1", "b"});
  b_.Add("NextIteration", "next", {"sum"});
  b_.Redirect("merge", 1, "next");
  b_.Add("Exit", "exit", {"switch:0"});
  const config::GraphFile graph = Describe();
  EXPECT_EQ(ToVector(Find(graph, "condition").control()), Strings({"a", "b"}));
  EXPECT_EQ(ToVector(Find(graph, "exit").control()), Strings({"condition"}));
  ASSERT_EQ(graph.loop_size(), 1);
  EXPECT_EQ(graph.loop(0).name(), "loop");
}

}  // namespace
}  // namespace str::capture
