#include "config/text_units.h"

#include <cstdint>
#include <limits>
#include <string>

#include "config/status_testing.h"
#include "gtest/gtest.h"

namespace str::config {
namespace {

constexpr int64_t kMax = std::numeric_limits<int64_t>::max();

TEST(ParseBytesTest, AcceptedForms) {
  EXPECT_EQ(*ParseBytes("6GiB"), int64_t{6} << 30);
  EXPECT_EQ(*ParseBytes("22000MB"), int64_t{22'000'000'000});
  EXPECT_EQ(*ParseBytes("500MiB"), 500 << 20);
  EXPECT_EQ(*ParseBytes("1.5GiB"), int64_t{3} << 29);
  EXPECT_EQ(*ParseBytes("4096"), 4096);
  EXPECT_EQ(*ParseBytes("0"), 0);
  EXPECT_EQ(*ParseBytes("12B"), 12);
  EXPECT_EQ(*ParseBytes("3kb"), 3000);
  EXPECT_EQ(*ParseBytes("3KIB"), 3072);
  EXPECT_EQ(*ParseBytes("2gb"), int64_t{2'000'000'000});
  EXPECT_EQ(*ParseBytes("1TB"), int64_t{1'000'000'000'000});
  EXPECT_EQ(*ParseBytes("1TiB"), int64_t{1} << 40);
  EXPECT_EQ(*ParseBytes(" 6 GiB "), int64_t{6} << 30);
  EXPECT_EQ(*ParseBytes("0.0015KB"), 1);
}

TEST(ParseBytesTest, ExactUpToTheLimit) {
  EXPECT_EQ(*ParseBytes("9223372036854775807"), kMax);
  EXPECT_TRUE(IsInvalid(ParseBytes("9223372036854775808").status(), "too large"));
  EXPECT_TRUE(IsInvalid(ParseBytes("99999999999999999999999").status(), "too large"));
  EXPECT_EQ(*ParseBytes("8388607TiB"), int64_t{8388607} << 40);
  EXPECT_TRUE(IsInvalid(ParseBytes("8388608TiB").status(), "too large"));
  EXPECT_TRUE(IsInvalid(ParseBytes("18446744073709551615.999999999999999999TiB").status(), "too large"));
}

TEST(ParseBytesTest, RefusalsQuoteTheTextAndShowForms) {
  EXPECT_TRUE(IsInvalid(ParseBytes("").status(), "size \"\" is empty"));
  EXPECT_TRUE(IsInvalid(ParseBytes("-5GiB").status(), "size \"-5GiB\" is negative"));
  EXPECT_TRUE(IsInvalid(ParseBytes("5 apples").status(), "unknown unit"));
  EXPECT_TRUE(IsInvalid(ParseBytes("6G").status(), "unknown unit"));
  EXPECT_TRUE(IsInvalid(ParseBytes("1.5").status(), "fraction of bytes"));
  for (const char* text : {"GiB", "1.GiB", ".5GiB", "+5", "nan", "inf", "0.1234567890123456789GiB"}) {
    EXPECT_TRUE(IsInvalid(ParseBytes(text).status(), std::string("size \"") + text + "\" is not a size")) << text;
  }
  EXPECT_TRUE(IsInvalid(ParseBytes("1e9").status(), "write it as 6GiB, 500MiB, 1.5GiB, 22000MB or plain bytes"));
  EXPECT_FALSE(ParseBytes(std::string("1\0MB", 4)).ok());
}

TEST(ParseDurationTextTest, AcceptedForms) {
  EXPECT_EQ(*ParseDurationText("30s"), absl::Seconds(30));
  EXPECT_EQ(*ParseDurationText("10m"), absl::Minutes(10));
  EXPECT_EQ(*ParseDurationText("1h30m"), absl::Minutes(90));
  EXPECT_EQ(*ParseDurationText("250ms"), absl::Milliseconds(250));
  EXPECT_EQ(*ParseDurationText("0"), absl::ZeroDuration());
}

TEST(ParseDurationTextTest, Refusals) {
  EXPECT_TRUE(IsInvalid(ParseDurationText("").status(), "duration \"\" is empty"));
  EXPECT_TRUE(IsInvalid(ParseDurationText("-3s").status(), "duration \"-3s\" is negative"));
  EXPECT_TRUE(IsInvalid(ParseDurationText("30").status(), "duration \"30\" is not a duration; write it as 30s"));
  EXPECT_TRUE(IsInvalid(ParseDurationText("soon").status(), "is not a duration"));
  EXPECT_TRUE(IsInvalid(ParseDurationText("inf").status(), "is not a duration"));
}

TEST(FormatBytesTest, LargestUnitAndExactNumber) {
  EXPECT_EQ(FormatBytes(6345678901), "5.91 GiB (6345678901 bytes)");
  EXPECT_EQ(FormatBytes(0), "0 bytes");
  EXPECT_EQ(FormatBytes(1), "1 byte");
  EXPECT_EQ(FormatBytes(1023), "1023 bytes");
  EXPECT_EQ(FormatBytes(1024), "1.00 KiB (1024 bytes)");
  EXPECT_EQ(FormatBytes((1 << 20) - 1), "1.00 MiB (1048575 bytes)");
  EXPECT_EQ(FormatBytes(int64_t{3} << 50), "3072.00 TiB (3377699720527872 bytes)");
  EXPECT_EQ(FormatBytes(-2048), "-2.00 KiB (-2048 bytes)");
  EXPECT_EQ(FormatBytes(std::numeric_limits<int64_t>::min()), "-8388608.00 TiB (-9223372036854775808 bytes)");
}

}  // namespace
}  // namespace str::config
