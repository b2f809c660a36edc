#include "config/json_text.h"

#include "gtest/gtest.h"

namespace str::config {
namespace {

TEST(JsonTextTest, EscapesWhatJsonDoesNotTake) {
  EXPECT_EQ(JsonString("plain"), "\"plain\"");
  EXPECT_EQ(JsonString(""), "\"\"");
  EXPECT_EQ(JsonString("a\"b\\c\n\t"), R"("a\"b\\c\n\t")");
  EXPECT_EQ(JsonString(absl::string_view("\0\x01\x1f\x7f", 4)), R"("\u0000\u0001\u001f\u007f")");
  EXPECT_EQ(JsonString("é"), "\"é\"");
}

}  // namespace
}  // namespace str::config
