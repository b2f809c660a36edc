#include "config/digest.h"

#include "gtest/gtest.h"

namespace str::config {
namespace {

std::string Of(std::initializer_list<absl::string_view> texts) {
  Digest digest;
  for (const absl::string_view text : texts) digest.Add(text);
  return digest.Hex();
}

TEST(DigestTest, IsTheSameForTheSameTextsOnly) {
  EXPECT_EQ(Of({"ab", "c"}), Of({"ab", "c"}));
  EXPECT_NE(Of({"ab", "c"}), Of({"a", "bc"}));
  EXPECT_NE(Of({"a"}), Of({"a", ""}));
  EXPECT_EQ(Of({}), "cbf29ce484222325");
}

}  // namespace
}  // namespace str::config
