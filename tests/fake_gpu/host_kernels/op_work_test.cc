#include "tests/fake_gpu/host_kernels/op_work.h"

#include "gtest/gtest.h"
#include "tensorflow/core/framework/attr_value.pb.h"

namespace str::fake_gpu {
namespace {

using tensorflow::NodeDef;
using tensorflow::TensorShape;

ShapeAndType Floats(std::initializer_list<int64_t> dims) { return {TensorShape(dims), tensorflow::DT_FLOAT}; }

NodeDef Node(const char* op) {
  NodeDef node;
  node.set_op(op);
  return node;
}

TEST(OpWorkTest, AConvolutionAndItsGradientsMultiplyTheSame) {
  const ShapeAndType x = Floats({2, 8, 8, 3}), w = Floats({3, 3, 3, 16}), y = Floats({2, 6, 6, 16});
  const ShapeAndType sizes = {TensorShape({4}), tensorflow::DT_INT32};
  const int64_t flops = 2 * (2 * 6 * 6 * 16) * (3 * 3 * 3);
  EXPECT_EQ(WorkOf(Node("Conv2D"), {x, w}, {y}).flops, flops);
  EXPECT_EQ(WorkOf(Node("Conv2DBackpropInput"), {sizes, w, y}, {x}).flops, flops);
  EXPECT_EQ(WorkOf(Node("Conv2DBackpropFilter"), {x, sizes, y}, {w}).flops, flops);
}

TEST(OpWorkTest, ADepthwiseConvolutionHasAWindowPerChannel) {
  EXPECT_EQ(
      WorkOf(Node("DepthwiseConv2dNative"), {Floats({1, 8, 8, 4}), Floats({3, 3, 4, 1})}, {Floats({1, 8, 8, 4})}).flops,
      2 * 256 * 9);
}

TEST(OpWorkTest, ProductsOfMatrices) {
  EXPECT_EQ(WorkOf(Node("MatMul"), {Floats({2, 3}), Floats({3, 5})}, {Floats({2, 5})}).flops, 2 * 2 * 3 * 5);
  NodeDef transposed = Node("BatchMatMulV2");
  (*transposed.mutable_attr())["adj_x"].set_b(true);
  EXPECT_EQ(WorkOf(transposed, {Floats({7, 3, 2}), Floats({7, 3, 5})}, {Floats({7, 2, 5})}).flops, 2 * 7 * 2 * 3 * 5);
}

TEST(OpWorkTest, EinsumsMultiplyOncePerIndex) {
  NodeDef einsum = Node("Einsum");
  (*einsum.mutable_attr())["equation"].set_s("aecd,abcd->acbe");
  EXPECT_EQ(WorkOf(einsum, {Floats({2, 5, 3, 7}), Floats({2, 4, 3, 7})}, {Floats({2, 3, 4, 5})}).flops,
            2 * 2 * 3 * 4 * 5 * 7);
  (*einsum.mutable_attr())["equation"].set_s("...ab,bc->...ac");
  EXPECT_EQ(WorkOf(einsum, {Floats({6, 2, 3}), Floats({3, 4})}, {Floats({6, 2, 4})}).flops, 2 * 6 * 2 * 3 * 4);
}

TEST(OpWorkTest, OthersDoOneOperationPerElementAndMoveTheirBytes) {
  const OpWork sum = WorkOf(Node("Sum"), {Floats({100, 10})}, {Floats({10})});
  EXPECT_EQ(sum.flops, 1000);
  EXPECT_EQ(sum.moved_bytes, 4040);
  // Only the rows that are looked up are read.
  EXPECT_EQ(WorkOf(Node("GatherV2"), {Floats({1000, 10})}, {Floats({2, 10})}).moved_bytes, 160);
}

}  // namespace
}  // namespace str::fake_gpu
