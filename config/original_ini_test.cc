#include "config/original_ini.h"

#include "config/graph_io.h"
#include "config/strategy_io.h"
#include "config/test_examples.h"
#include "gtest/gtest.h"

namespace str::config {
namespace {

TEST(IsOriginalIniTest, RecognisesItsForms) {
  EXPECT_TRUE(IsOriginalIni("[solution]\nstrategy=none\n"));
  EXPECT_TRUE(IsOriginalIni("\xEF\xBB\xBF[solution]\r\nstrategy = hybrid\r\n\r\n[hybrid]\r\nr=0.5\r\np=1\r\nq=2\r\n"));
  EXPECT_TRUE(IsOriginalIni("; comment\n# comment\n\n  [ Hybrid ] ; comment\n"));
  EXPECT_TRUE(IsOriginalIni("strategy=swap"));
  EXPECT_TRUE(IsOriginalIni("tags=conv1,conv2"));
  EXPECT_TRUE(IsOriginalIni("[general]\nx=1\n[recompute]\n"));
}

TEST(IsOriginalIniTest, NothingElse) {
  EXPECT_FALSE(IsOriginalIni(""));
  EXPECT_FALSE(IsOriginalIni("[1, 2, 3]"));
  EXPECT_FALSE(IsOriginalIni("format_version: 1\nplanner: \"r=3\"\n# [solution]\n"));
  EXPECT_FALSE(IsOriginalIni(StrategyText(ExampleStrategy())));
  EXPECT_FALSE(IsOriginalIni(GraphText(ExampleGraph())));
}

}  // namespace
}  // namespace str::config
