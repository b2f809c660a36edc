#include "config/fingerprint.h"

#include "gtest/gtest.h"

namespace str::config {
namespace {

TEST(IsFingerprintTest, SixteenHexDigits) {
  EXPECT_TRUE(IsFingerprint("0123456789abcdef"));
  EXPECT_FALSE(IsFingerprint(""));
  EXPECT_FALSE(IsFingerprint("0123456789abcde"));
  EXPECT_FALSE(IsFingerprint("0123456789abcdef0"));
  EXPECT_FALSE(IsFingerprint("0123456789abcdeg"));
}

}  // namespace
}  // namespace str::config
