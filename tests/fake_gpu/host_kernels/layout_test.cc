#include "tests/fake_gpu/host_kernels/layout.h"

#include <numeric>

#include "gtest/gtest.h"
#include "tensorflow/core/framework/attr_value.pb.h"
#include "tensorflow/core/framework/types.h"

namespace str::fake_gpu {
namespace {

using tensorflow::NodeDef;
using tensorflow::Tensor;
using tensorflow::TensorShape;

void SetList(NodeDef* node, const char* name, const std::vector<int64_t>& values) {
  for (const int64_t value : values) (*node->mutable_attr())[name].mutable_list()->add_i(value);
}

std::vector<int64_t> List(const NodeDef& node, const char* name) {
  const auto& list = node.attr().at(name).list().i();
  return std::vector<int64_t>(list.begin(), list.end());
}

NodeDef Convolution(const char* format) {
  NodeDef node;
  node.set_op("Conv2D");
  (*node.mutable_attr())["data_format"].set_s(format);
  SetList(&node, "strides", {1, 2, 3, 4});
  SetList(&node, "explicit_paddings", {0, 0, 1, 2, 3, 4, 5, 6});
  return node;
}

TEST(LayoutTest, ANodeWithChannelsFirstGetsThemLast) {
  NodeDef node = Convolution("NCHW");
  const std::optional<ChannelsFirst> rule = MakeChannelsLast(&node);
  ASSERT_TRUE(rule.has_value());
  EXPECT_EQ(node.attr().at("data_format").s(), "NHWC");
  EXPECT_EQ(List(node, "strides"), (std::vector<int64_t>{1, 3, 4, 2}));
  EXPECT_EQ(List(node, "explicit_paddings"), (std::vector<int64_t>{0, 0, 3, 4, 5, 6, 1, 2}));
  EXPECT_EQ(rule->inputs, std::vector<int>{0});
  EXPECT_EQ(rule->outputs, std::vector<int>{0});
}

TEST(LayoutTest, OtherNodesStayAsTheyAre) {
  NodeDef node = Convolution("NHWC");
  EXPECT_FALSE(MakeChannelsLast(&node).has_value());
  EXPECT_EQ(List(node, "strides"), (std::vector<int64_t>{1, 2, 3, 4}));
  node.set_op("MatMul");
  EXPECT_FALSE(MakeChannelsLast(&node).has_value());
}

Tensor Counting(const TensorShape& shape) {
  Tensor tensor(tensorflow::DT_INT32, shape);
  std::iota(tensor.flat<int>().data(), tensor.flat<int>().data() + tensor.NumElements(), 0);
  return tensor;
}

TEST(LayoutTest, ValuesMoveWithTheirChannels) {
  const Tensor first = Counting(TensorShape({2, 3, 4, 5}));
  const Tensor last = ToChannelsLast(first);
  EXPECT_EQ(last.shape(), TensorShape({2, 4, 5, 3}));
  const auto a = first.tensor<int, 4>();
  const auto b = last.tensor<int, 4>();
  for (int n = 0; n < 2; ++n) {
    for (int c = 0; c < 3; ++c) {
      for (int h = 0; h < 4; ++h) {
        for (int w = 0; w < 5; ++w) EXPECT_EQ(a(n, c, h, w), b(n, h, w, c));
      }
    }
  }
  const Tensor back = ToChannelsFirst(last);
  EXPECT_EQ(back.shape(), first.shape());
  EXPECT_EQ(back.tensor_data(), first.tensor_data());
}

TEST(LayoutTest, SpaceMayHaveThreeDimensionsOrNoElements) {
  const Tensor first = Counting(TensorShape({2, 3, 4, 5, 6}));
  EXPECT_EQ(ToChannelsLast(first).shape(), TensorShape({2, 4, 5, 6, 3}));
  EXPECT_EQ(ToChannelsFirst(ToChannelsLast(first)).tensor_data(), first.tensor_data());
  EXPECT_EQ(ToChannelsLast(Counting(TensorShape({2, 0, 4, 5}))).shape(), TensorShape({2, 4, 5, 0}));
}

TEST(LayoutTest, SizesMoveLikeDimensions) {
  Tensor sizes(tensorflow::DT_INT32, TensorShape({4}));
  sizes.flat<int>().setValues({8, 3, 32, 16});
  const Tensor moved = VectorToChannelsLast(sizes);
  const auto values = moved.flat<int>();
  EXPECT_EQ(std::vector<int>(values.data(), values.data() + 4), (std::vector<int>{8, 32, 16, 3}));
}

}  // namespace
}  // namespace str::fake_gpu
