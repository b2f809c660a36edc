#include "tf_plugin/graph/op_cost.h"

#include <optional>

#include "gtest/gtest.h"
#include "tf_plugin/graph/graph_view.h"
#include "tf_plugin/testing/graph_builder.h"

namespace str::graph {
namespace {

using tensorflow::DT_FLOAT;
using tensorflow::PartialTensorShape;
using testing::Attr;

class OpCostTest : public ::testing::Test {
 protected:
  void Input(const std::string& name, const PartialTensorShape& shape) {
    b_.Argument(name, DT_FLOAT, shape, arguments_++);
  }

  OpCost Cost(const std::string& node) { return CostOf(*b_.Find(node), MakeGraphView(b_.graph()).shapes); }
  std::optional<int64_t> Bytes(const std::string& node) {
    return OutputBytes(*b_.Find(node), 0, MakeGraphView(b_.graph()).shapes);
  }

  testing::GraphBuilder b_;
  int arguments_ = 0;
};

// Strides of one, padded so that the output is as large as the input.
std::vector<Attr> Conv2D() { return {{"strides", std::vector<int>{1, 1, 1, 1}}, {"padding", "SAME"}}; }

TEST_F(OpCostTest, AConvolutionAndItsGradientsMultiplyEquallyOften) {
  Input("x", {2, 8, 8, 3});
  Input("w", {3, 3, 3, 5});
  Input("dy", {2, 8, 8, 5});
  b_.Ints("x_sizes", {2, 8, 8, 3});
  b_.Ints("w_sizes", {3, 3, 3, 5});
  b_.Add("Conv2D", "y", {"x", "w"}, Conv2D());
  b_.Add("Conv2DBackpropInput", "dx", {"x_sizes", "w", "dy"}, Conv2D());
  b_.Add("Conv2DBackpropFilter", "dw", {"x", "w_sizes", "dy"}, Conv2D());
  // 2 * 8 * 8 positions, 3 * 3 window, 3 channels in, 5 out; a multiplication and an addition each.
  constexpr int64_t kFlops = 2 * (2 * 8 * 8) * (3 * 3) * 3 * 5;
  EXPECT_EQ(Cost("y").flops, kFlops);
  EXPECT_EQ(Cost("dx").flops, kFlops);
  EXPECT_EQ(Cost("dw").flops, kFlops);
}

TEST_F(OpCostTest, StridesCountOutputPositions) {
  Input("x", {2, 8, 8, 3});
  Input("w", {3, 3, 3, 5});
  b_.Add("Conv2D", "y", {"x", "w"}, {{"strides", std::vector<int>{1, 2, 2, 1}}, {"padding", "SAME"}});
  EXPECT_EQ(Cost("y").flops, 2 * (2 * 4 * 4) * (3 * 3) * 3 * 5);
}

TEST_F(OpCostTest, ADepthwiseConvolutionReadsOneChannelPerOutput) {
  Input("x", {2, 8, 8, 4});
  Input("w", {3, 3, 4, 1});
  Input("dy", {2, 8, 8, 4});
  b_.Ints("x_sizes", {2, 8, 8, 4});
  b_.Ints("w_sizes", {3, 3, 4, 1});
  b_.Add("DepthwiseConv2dNative", "y", {"x", "w"}, Conv2D());
  b_.Add("DepthwiseConv2dNativeBackpropInput", "dx", {"x_sizes", "w", "dy"}, Conv2D());
  b_.Add("DepthwiseConv2dNativeBackpropFilter", "dw", {"x", "w_sizes", "dy"}, Conv2D());
  constexpr int64_t kFlops = 2 * (2 * 8 * 8 * 4) * (3 * 3);
  EXPECT_EQ(Cost("y").flops, kFlops);
  EXPECT_EQ(Cost("dx").flops, kFlops);
  EXPECT_EQ(Cost("dw").flops, kFlops);
}

TEST_F(OpCostTest, AConvolutionInSpaceCountsItsChannelsToo) {
  const std::vector<Attr> attrs = {{"strides", std::vector<int>{1, 1, 1, 1, 1}}, {"padding", "SAME"}};
  Input("x", {1, 4, 6, 6, 3});
  Input("w", {2, 3, 3, 3, 5});
  Input("dy", {1, 4, 6, 6, 5});
  b_.Ints("x_sizes", {1, 4, 6, 6, 3});
  b_.Ints("w_sizes", {2, 3, 3, 3, 5});
  b_.Add("Conv3D", "y", {"x", "w"}, attrs);
  b_.Add("Conv3DBackpropInputV2", "dx", {"x_sizes", "w", "dy"}, attrs);
  b_.Add("Conv3DBackpropFilterV2", "dw", {"x", "w_sizes", "dy"}, attrs);
  constexpr int64_t kFlops = 2 * (4 * 6 * 6) * (2 * 3 * 3) * 3 * 5;
  EXPECT_EQ(Cost("y").flops, kFlops);
  EXPECT_EQ(Cost("dx").flops, kFlops);
  EXPECT_EQ(Cost("dw").flops, kFlops);
}

TEST_F(OpCostTest, AMatrixProductCountsItsInnerDimensionHoweverTransposed) {
  Input("a", {4, 6});
  Input("a_t", {6, 4});
  Input("b", {6, 10});
  Input("b_t", {10, 6});
  b_.Add("MatMul", "plain", {"a", "b"});
  b_.Add("MatMul", "first", {"a_t", "b"}, {{"transpose_a", true}});
  b_.Add("MatMul", "second", {"a", "b_t"}, {{"transpose_b", true}});
  b_.Add("MatMul", "both", {"a_t", "b_t"}, {{"transpose_a", true}, {"transpose_b", true}});
  for (const char* node : {"plain", "first", "second", "both"}) EXPECT_EQ(Cost(node).flops, 2 * 4 * 6 * 10) << node;
}

TEST_F(OpCostTest, BatchesOfMatricesCountEach) {
  Input("a", {7, 6, 4});
  Input("b", {7, 6, 10});
  b_.Add("BatchMatMulV2", "y", {"a", "b"}, {{"adj_x", true}});
  EXPECT_EQ(Cost("y").flops, 7 * 2 * 4 * 6 * 10);
}

TEST_F(OpCostTest, AnEinsumMultipliesOnceForEachValueOfItsIndices) {
  Input("a", {2, 3, 4, 5});
  Input("b", {2, 7, 4, 5});
  Input("c", {4, 5, 6});
  b_.Add("Einsum", "scores", {"a", "b"}, {{"equation", "bqhd,bkhd->bhqk"}, {"N", 2}});
  b_.Add("Einsum", "projected", {"a", "c"}, {{"equation", "...hd,hde->...e"}, {"N", 2}});
  b_.Add("Einsum", "turned", {"c"}, {{"equation", "abc->cab"}, {"N", 1}});
  EXPECT_EQ(Cost("scores").flops, 2 * (2 * 3 * 7 * 4 * 5));
  EXPECT_EQ(Cost("projected").flops, 2 * (2 * 3) * (4 * 5 * 6));
  EXPECT_EQ(Cost("turned").flops, 4 * 5 * 6);
}

TEST_F(OpCostTest, HandingOnABufferCostsNothing) {
  Input("x", {4, 6});
  b_.Ints("shape", {24});
  b_.Add("Reshape", "flat", {"x", "shape"});
  b_.Add("Identity", "same", {"x"});
  for (const char* node : {"flat", "same"}) {
    EXPECT_EQ(Cost(node).flops, 0) << node;
    EXPECT_EQ(Cost(node).moved_bytes, 0) << node;
  }
}

TEST_F(OpCostTest, ASliceReadsWhatItWrites) {
  Input("table", {1000, 6});
  b_.Ints("begin", {3, 0});
  b_.Ints("size", {2, 6});
  b_.Add("Slice", "y", {"table", "begin", "size"});
  EXPECT_EQ(Cost("y").moved_bytes, 2 * (2 * 6 * 4) + 2 * (2 * 4));
}

TEST_F(OpCostTest, AnUpdateReadsAndWritesItsVariable) {
  Input("x", {4, 6});
  b_.Variable("v", {4, 6});
  b_.Add("AssignAddVariableOp", "update", {"v", "x"}, {{"dtype", DT_FLOAT}});
  b_.Add("AssignVariableOp", "replace", {"v", "x"}, {{"dtype", DT_FLOAT}});
  b_.Add("ReadVariableOp", "read", {"v"}, {{"dtype", DT_FLOAT}});
  EXPECT_EQ(Cost("update").moved_bytes, 3 * (4 * 6 * 4));
  EXPECT_EQ(Cost("replace").moved_bytes, 0);
  EXPECT_EQ(Cost("read").moved_bytes, 0);
}

TEST_F(OpCostTest, OtherOpsCountTheirElements) {
  Input("x", {4, 6});
  b_.Add("Relu6Grad", "y", {"x", "x"});
  EXPECT_EQ(Cost("y").flops, 24);
  EXPECT_EQ(Cost("y").moved_bytes, 3 * 24 * 4);
  b_.Ints("all", {0, 1});
  b_.Add("Mean", "mean", {"x", "all"});
  EXPECT_EQ(Cost("mean").flops, 24) << "every element is added up";
}

TEST_F(OpCostTest, MovedBytesAreEveryInputAndOutput) {
  Input("a", {4, 6});
  Input("b", {6, 10});
  b_.Add("MatMul", "y", {"a", "b", "^a"});
  EXPECT_EQ(Cost("y").moved_bytes, (24 + 60 + 40) * 4);
}

TEST_F(OpCostTest, UnknownShapesCostNothing) {
  Input("x", {-1, 6});
  b_.Floats("w", {6, 10});
  b_.Add("MatMul", "y", {"x", "w"});
  EXPECT_EQ(Cost("y").flops, 0);
  EXPECT_EQ(Cost("y").moved_bytes, 6 * 10 * 4) << "what is known";
  EXPECT_EQ(Bytes("y"), std::nullopt);
}

TEST_F(OpCostTest, BytesFollowTheType) {
  Input("x", {4, 6});
  b_.Add("Cast", "half", {"x"}, {{"DstT", tensorflow::DT_HALF}});
  b_.Add("AsString", "text", {"x"});
  b_.Floats("scalar", {});
  b_.Floats("empty", {0, 3});
  EXPECT_EQ(Bytes("x"), 96);
  EXPECT_EQ(Bytes("half"), 48);
  EXPECT_EQ(Bytes("text"), std::nullopt) << "strings have no fixed size";
  EXPECT_EQ(Bytes("scalar"), 4);
  EXPECT_EQ(Bytes("empty"), 0);
}

}  // namespace
}  // namespace str::graph
