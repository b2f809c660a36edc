#include "optimizer/explain/short_text.h"

#include "gtest/gtest.h"

namespace str::optimizer {
namespace {

TEST(ShortTextTest, Bytes) {
  EXPECT_EQ(ShortBytes(0), "0 B");
  EXPECT_EQ(ShortBytes(1023), "1023 B");
  EXPECT_EQ(ShortBytes(1024), "1.0 KiB");
  EXPECT_EQ(ShortBytes(int64_t{64} << 20), "64.0 MiB");
  EXPECT_EQ(ShortBytes(int64_t{1000} << 20), "1.0 GiB");
  EXPECT_EQ(ShortBytes(int64_t{3} << 40), "3.0 TiB");
}

TEST(ShortTextTest, Seconds) {
  EXPECT_EQ(ShortSeconds(0), "0 us");
  EXPECT_EQ(ShortSeconds(1e-9), "0 us");
  EXPECT_EQ(ShortSeconds(4e-6), "4.0 us");
  EXPECT_EQ(ShortSeconds(0.0123), "12.3 ms");
  EXPECT_EQ(ShortSeconds(-0.0123), "-12.3 ms");
  EXPECT_EQ(ShortSeconds(1.25), "1.25 s");
}

}  // namespace
}  // namespace str::optimizer
