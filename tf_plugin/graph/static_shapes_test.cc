#include "tf_plugin/graph/static_shapes.h"

#include "gtest/gtest.h"
#include "tf_plugin/graph/graph_view.h"
#include "tf_plugin/testing/graph_builder.h"

namespace str::graph {
namespace {

using tensorflow::DT_FLOAT;
using tensorflow::DT_RESOURCE;
using tensorflow::PartialTensorShape;

class StaticShapesTest : public ::testing::Test {
 protected:
  // "[2,?]", "<unknown>"
  std::string Shape(const std::string& node, int output = 0) {
    return MakeGraphView(b_.graph()).shapes[b_.Find(node)->id()][output].DebugString();
  }

  testing::GraphBuilder b_;
};

TEST_F(StaticShapesTest, FollowFromArguments) {
  b_.Argument("x", DT_FLOAT, PartialTensorShape({8, 16}), 0);
  b_.Argument("w", DT_FLOAT, PartialTensorShape({16, 4}), 1);
  b_.Add("MatMul", "y", {"x", "w"});
  b_.Add("Relu", "z", {"y"});
  EXPECT_EQ(Shape("x"), "[8,16]");
  EXPECT_EQ(Shape("z"), "[8,4]");
}

TEST_F(StaticShapesTest, AnUnknownBatchStaysUnknown) {
  b_.Argument("x", DT_FLOAT, PartialTensorShape({-1, 16}));
  b_.Floats("w", {16, 4});
  b_.Add("MatMul", "y", {"x", "w"});
  EXPECT_EQ(Shape("y"), "[?,4]");
}

TEST_F(StaticShapesTest, AVariableHasTheShapeThatItsHandleCarries) {
  b_.Add("_Arg", "v", {},
         {{"T", DT_RESOURCE},
          {"index", 0},
          {"_handle_shapes", std::vector<PartialTensorShape>{PartialTensorShape({3, 5})}},
          {"_handle_dtypes", tensorflow::DataTypeVector{DT_FLOAT}}});
  b_.Add("ReadVariableOp", "read", {"v"}, {{"dtype", DT_FLOAT}});
  EXPECT_EQ(Shape("read"), "[3,5]");
}

TEST_F(StaticShapesTest, WithoutANoteAnArgumentIsUnknown) {
  b_.Add("_Arg", "x", {}, {{"T", DT_FLOAT}, {"index", 0}});
  b_.Add("Relu", "y", {"x"});
  EXPECT_EQ(Shape("y"), "<unknown>");
}

TEST_F(StaticShapesTest, AShapeErrorCostsThatNodeOnly) {
  b_.Floats("a", {2, 3});
  b_.Floats("b", {5, 7});
  b_.Add("MatMul", "impossible", {"a", "b"});
  b_.Add("Relu", "behind", {"impossible"});
  b_.Add("Relu", "beside", {"a"});
  EXPECT_EQ(Shape("impossible"), "<unknown>");
  EXPECT_EQ(Shape("behind"), "<unknown>");
  EXPECT_EQ(Shape("beside"), "[2,3]");
}

TEST_F(StaticShapesTest, TheFusedBiasGradientHasTheOutputsChannels) {
  b_.Argument("x", DT_FLOAT, PartialTensorShape({1, 8, 8, 3}), 0);
  b_.Argument("dy", DT_FLOAT, PartialTensorShape({1, 8, 8, 4}), 1);
  b_.Ints("filter_sizes", {3, 3, 3, 4});
  b_.Add("_MklNativeConv2DBackpropFilterWithBias", "dw", {"x", "filter_sizes", "dy"},
         {{"strides", std::vector<int>{1, 1, 1, 1}}, {"padding", "SAME"}});
  EXPECT_EQ(Shape("dw", 0), "[3,3,3,4]");
  EXPECT_EQ(Shape("dw", 1), "[4]");
}

TEST_F(StaticShapesTest, PoolingsWorkspaceIsAsLargeAsItsResult) {
  b_.Argument("x", DT_FLOAT, PartialTensorShape({1, 8, 8, 3}));
  b_.Add("_MklNativeMaxPool", "pool", {"x"},
         {{"ksize", std::vector<int>{1, 2, 2, 1}}, {"strides", std::vector<int>{1, 2, 2, 1}}, {"padding", "VALID"}});
  EXPECT_EQ(Shape("pool", 0), "[1,4,4,3]");
  EXPECT_EQ(Shape("pool", 1), "[1,4,4,3]");
}

}  // namespace
}  // namespace str::graph
