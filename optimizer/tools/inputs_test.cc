#include "optimizer/tools/inputs.h"

#include "config/graph_io.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "optimizer/testing/graph_builder.h"

namespace str::tools {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

TEST(InputsTest, BudgetsAreBytesOrSharesOfThePeak) {
  EXPECT_EQ(*ParseBudget("--budget", "6GiB", 1), int64_t{6} << 30);
  EXPECT_EQ(*ParseBudget("--budget", "12345", 1), 12345);
  EXPECT_EQ(*ParseBudget("--budget", "60%", 1001), 600);
  EXPECT_EQ(*ParseBudget("--budget", "62.5%", 1000), 625);
  for (const char* wrong : {"", "%", "-5%", "5000%", "sixty%", "1XB", "nan%"}) {
    EXPECT_THAT(ParseBudget("--budgets", wrong, 1000).status().message(), HasSubstr("--budgets: ")) << wrong;
  }
}

TEST(InputsTest, NoBudgetIsNothing) {
  for (const char* nothing : {"0", "0GiB", "0%", "0.01%"}) {
    EXPECT_THAT(ParseBudget("--budget", nothing, 1000).status().message(), HasSubstr("leaves no memory at all"))
        << nothing;
  }
  EXPECT_THAT(ParseBudgetBytes("--budget", "0", 1000).status().message(), HasSubstr("leaves no memory at all"));
  EXPECT_THAT(ParseBudgetBytes("--budget", "60%", 1000).status().message(), HasSubstr("--budget: "));
}

TEST(InputsTest, ASmallNumberWithoutUnitIsAskedBack) {
  const int64_t peak = int64_t{500} << 20;
  for (const char* number : {"1", "60", " 60 ", "500", "22000", "1048575"}) {
    EXPECT_THAT(ParseBudget("--budget", number, peak).status().message(), HasSubstr("did you mean")) << number;
  }
  EXPECT_THAT(ParseBudget("--budgets", "60", peak).status().message(),
              AllOf(HasSubstr("--budgets: \"60\" is 60 bytes"),
                    HasSubstr("did you mean 60% or 60MiB? If not, write 60B")));
  EXPECT_THAT(ParseBudgetBytes("--budget", "60", peak).status().message(), HasSubstr("did you mean 60MiB?"))
      << "max-batch takes no percentages";
  EXPECT_EQ(*ParseBudget("--budget", "60B", peak), 60) << "the unit says that it is meant";
  EXPECT_EQ(*ParseBudget("--budget", "1048576", peak), 1048576) << "plain bytes";
  EXPECT_EQ(*ParseBudget("--budget", "60", 400), 60) << "a toy graph";
  EXPECT_EQ(*ParseBudget("--budget", "700000", int64_t{2} << 20), 700000) << "a share that a plan may have";
}

TEST(InputsTest, CostsHaveAUnit) {
  EXPECT_EQ(*ParseCostUnit(""), absl::Microseconds(100));
  EXPECT_EQ(*ParseCostUnit("2ms"), absl::Milliseconds(2));
  for (const char* wrong : {"0s", "2", "-1s", "long"}) {
    EXPECT_THAT(ParseCostUnit(wrong).status().message(), HasSubstr("--cost-unit")) << wrong;
    EXPECT_THAT(ReadGraphInput("any", wrong, "").status().message(), HasSubstr("--cost-unit")) << wrong;
  }
}

TEST(InputsTest, TheBaselineIsTheCapturedOrderWithEverythingKept) {
  optimizer::GraphBuilder b(/*external_bytes=*/10);
  b.Add("x", {}, {100}, 2000);
  b.Add("y", {"x:0"}, {50}, 3000);
  const std::string path = ::testing::TempDir() + "/inputs_test.graph";
  ASSERT_TRUE(config::WriteGraph(b.file(), path).ok());
  const absl::StatusOr<GraphInput> input = ReadGraphInput(path, "", "");
  ASSERT_TRUE(input.ok()) << input.status();
  EXPECT_EQ(input->baseline_peak_bytes, 160);
  EXPECT_DOUBLE_EQ(input->baseline_seconds, 5e-6);
  EXPECT_THAT(ReadGraphInput(path, "", "no-such-device").status().message(), HasSubstr("no-such-device"));
  EXPECT_FALSE(ReadGraphInput(path + ".missing", "", "").ok());
}

}  // namespace
}  // namespace str::tools
