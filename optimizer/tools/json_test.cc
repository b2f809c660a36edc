#include "optimizer/tools/json.h"

#include <limits>

#include "gtest/gtest.h"

namespace str::tools {
namespace {

TEST(JsonTest, NumbersReadBackTheSame) {
  EXPECT_EQ(JsonNumber(0.5), "0.5");
  EXPECT_EQ(JsonNumber(0.1 + 0.2), "0.30000000000000004");
  EXPECT_EQ(JsonNumber(std::numeric_limits<double>::infinity()), "null");
}

TEST(JsonTest, WritesFieldsInOrder) {
  JsonObject object;
  object.Add("name", "x");
  object.Add("bytes", int64_t{1} << 60);
  object.Add("none", std::optional<double>());
  object.AddRaw("list", JsonArray({"1", "2"}));
  EXPECT_EQ(object.Text(), R"({"name": "x", "bytes": 1152921504606846976, "none": null, "list": [1, 2]})");
  EXPECT_EQ(JsonObject().Text(), "{}");
}

}  // namespace
}  // namespace str::tools
