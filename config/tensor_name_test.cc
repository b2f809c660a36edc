#include "config/tensor_name.h"

#include "config/status_testing.h"
#include "gtest/gtest.h"

namespace str::config {
namespace {

TEST(ParseTensorNameTest, SplitsAtTheLastColon) {
  const absl::StatusOr<TensorName> name = ParseTensorName("conv1/Conv2D:12");
  EXPECT_OK(name.status());
  EXPECT_EQ(name->node, "conv1/Conv2D");
  EXPECT_EQ(name->output, 12);
  EXPECT_EQ(ParseTensorName("a:b:0")->node, "a:b");
}

TEST(ParseTensorNameTest, RefusesWhatIsNoTensor) {
  for (const char* text : {"", "conv", "conv:", ":0", "conv:x", "conv:-1", "conv:+1", "conv: 1", "conv:1 ", "conv:00",
                           "conv:99999999999", "^conv"}) {
    EXPECT_TRUE(IsInvalid(ParseTensorName(text).status(), "is not a tensor; write node:output")) << text;
  }
}

TEST(ShapeTextTest, AllKinds) {
  Output output;
  output.set_dtype("float");
  EXPECT_EQ(ShapeText(output), "float[*]");
  output.set_known_rank(true);
  EXPECT_EQ(ShapeText(output), "float[]");
  output.add_dim(-1);
  EXPECT_EQ(ShapeText(output), "float[?]");
  output.add_dim(10);
  EXPECT_EQ(ShapeText(output), "float[?,10]");
  output.set_dim(0, 0);
  EXPECT_EQ(ShapeText(output), "float[0,10]");
}

}  // namespace
}  // namespace str::config
