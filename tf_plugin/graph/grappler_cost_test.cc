// For which ops Grappler's count is taken, and for which ours, and why.
#include "tf_plugin/graph/grappler_cost.h"

#include "gtest/gtest.h"
#include "tf_plugin/graph/graph_view.h"
#include "tf_plugin/testing/graph_builder.h"

namespace str::graph {
namespace {

using tensorflow::DT_FLOAT;
using tensorflow::PartialTensorShape;
using testing::Attr;

class GrapplerCostTest : public ::testing::Test {
 protected:
  void Input(const std::string& name, const PartialTensorShape& shape) {
    b_.Argument(name, DT_FLOAT, shape, arguments_++);
  }

  std::optional<OpCost> Grappler(const std::string& node) {
    return GrapplerCostOf(*b_.Find(node), MakeGraphView(b_.graph()).shapes);
  }
  OpCost Cost(const std::string& node) { return CostOf(*b_.Find(node), MakeGraphView(b_.graph()).shapes); }

  testing::GraphBuilder b_;
  int arguments_ = 0;
};

TEST_F(GrapplerCostTest, ElementwiseOpsCostWhatTheirFunctionCosts) {
  Input("x", {4, 6});
  for (const char* op : {"Relu", "Neg", "Square", "Exp", "Tanh", "Rsqrt", "Log", "Sigmoid", "Sqrt"}) {
    b_.Add(op, op, {"x"});
    ASSERT_TRUE(Grappler(op).has_value()) << op;
    EXPECT_EQ(Cost(op).flops, Grappler(op)->flops) << op;
    EXPECT_EQ(Cost(op).moved_bytes, 2 * 24 * 4) << op;
  }
  EXPECT_EQ(Cost("Relu").flops, 24);
  EXPECT_EQ(Cost("Square").flops, 24);
  EXPECT_GT(Cost("Exp").flops, 5 * 24);
  EXPECT_GT(Cost("Rsqrt").flops, 24);
}

TEST_F(GrapplerCostTest, OpsOfTwoTensorsCountTheResultOfBroadcasting) {
  Input("x", {4, 6});
  Input("row", {6});
  Input("column", {4, 1});
  for (const char* op : {"AddV2", "Sub", "Mul", "Maximum"}) {
    b_.Add(op, op, {"x", "row"});
    EXPECT_EQ(Cost(op).flops, 24) << op;
  }
  b_.Add("Mul", "outer", {"column", "row"});
  b_.Add("SquaredDifference", "difference", {"x", "row"});
  b_.Add("BiasAdd", "bias", {"x", "row"});
  EXPECT_EQ(Cost("outer").flops, 24);
  EXPECT_EQ(Cost("difference").flops, 2 * 24) << "subtracts and multiplies";
  EXPECT_EQ(Cost("bias").flops, 24);
}

TEST_F(GrapplerCostTest, SumsCountWhatIsAddedUp) {
  Input("x", {4, 6});
  b_.Ints("all", {0, 1});
  b_.Add("Sum", "sum", {"x", "all"});
  EXPECT_EQ(Cost("sum").flops, 24);
  b_.Add("AddN", "three", {"x", "x", "x"}, {{"N", 3}});
  EXPECT_EQ(Cost("three").flops, 2 * 24);
}

TEST_F(GrapplerCostTest, WhatOnlyMovesBytesComputesNothing) {
  Input("x", {4, 6});
  b_.Ints("twice", {2, 1});
  b_.Add("Tile", "tile", {"x", "twice"});
  ASSERT_TRUE(Grappler("tile").has_value());
  EXPECT_EQ(Cost("tile").flops, 0);
  EXPECT_GE(Cost("tile").moved_bytes, 3 * 24 * 4);
}

TEST_F(GrapplerCostTest, PoolingCountsItsWindowsAlsoUnderTheNamesOfOneDnn) {
  const std::vector<Attr> attrs = {
      {"ksize", std::vector<int>{1, 2, 2, 1}}, {"strides", std::vector<int>{1, 2, 2, 1}}, {"padding", "VALID"}};
  Input("x", {2, 8, 8, 3});
  Input("dy", {2, 4, 4, 3});
  b_.Add("MaxPool", "max", {"x"}, attrs);
  b_.Add("AvgPool", "mean", {"x"}, attrs);
  b_.Add("_MklNativeMaxPool", "mkl", {"x"}, attrs);
  // Of each window of four at least three are compared.
  for (const char* node : {"max", "mean", "mkl"}) {
    ASSERT_TRUE(Grappler(node).has_value()) << node;
    EXPECT_GE(Cost(node).flops, 3 * (2 * 4 * 4 * 3)) << node;
    EXPECT_LE(Cost(node).flops, 8 * (2 * 4 * 4 * 3)) << node;
  }
  EXPECT_EQ(Cost("mkl").flops, Cost("max").flops);
}

TEST_F(GrapplerCostTest, SoftmaxIsMoreThanItsElements) {
  Input("x", {4, 6});
  b_.Add("Softmax", "y", {"x"});
  ASSERT_TRUE(Grappler("y").has_value());
  EXPECT_GT(Cost("y").flops, 2 * 24);
}

TEST_F(GrapplerCostTest, ProductsAreCountedAlikeWhereBothKnowThem) {
  const std::vector<Attr> conv = {{"strides", std::vector<int>{1, 1, 1, 1}}, {"padding", "SAME"}};
  Input("x", {2, 8, 8, 3});
  Input("w", {3, 3, 3, 5});
  Input("a", {4, 6});
  Input("b", {6, 10});
  Input("stack_a", {7, 4, 6});
  Input("stack_b", {7, 6, 10});
  b_.Add("Conv2D", "conv", {"x", "w"}, conv);
  b_.Add("MatMul", "product", {"a", "b"});
  b_.Add("BatchMatMulV2", "products", {"stack_a", "stack_b"});
  for (const char* node : {"conv", "product", "products"}) {
    ASSERT_TRUE(Grappler(node).has_value()) << node;
    EXPECT_EQ(Cost(node).flops, Grappler(node)->flops) << node;
  }
}

TEST_F(GrapplerCostTest, WhatGrapplerDoesNotKnowIsCountedHere) {
  Input("x", {1, 4, 6, 6, 3});
  Input("w", {2, 3, 3, 3, 5});
  Input("y", {4, 6});
  b_.Ints("all", {0, 1});
  b_.Add("Conv3D", "space", {"x", "w"}, {{"strides", std::vector<int>{1, 1, 1, 1, 1}}, {"padding", "SAME"}});
  b_.Add("Mean", "mean", {"y", "all"});
  b_.Add("LogSoftmax", "log", {"y"});
  for (const char* node : {"space", "mean", "log"}) {
    EXPECT_FALSE(Grappler(node).has_value()) << node;
    EXPECT_GE(Cost(node).flops, 24) << node;
  }
}

TEST_F(GrapplerCostTest, UnknownShapesAreNotGuessed) {
  Input("x", {-1, 6});
  b_.Add("Exp", "y", {"x"});
  EXPECT_FALSE(Grappler("y").has_value());
  EXPECT_EQ(Cost("y").flops, 0);
}

}  // namespace
}  // namespace str::graph
