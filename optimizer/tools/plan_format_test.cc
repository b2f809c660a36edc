// --format of `str plan`, on the built binary.
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "optimizer/importers/mksch_verifier.h"
#include "optimizer/tools/cli_fixture.h"

namespace str::tools {
namespace {

using ::testing::HasSubstr;

// Convolutions one after the other, 100 bytes each; the gradient of each takes its value.
std::string ChainOfConvolutions(int count) {
  std::string text = absl::StrCat(count + 1, " ", 2 * count, "\n");
  for (int i = 0; i <= count; ++i) absl::StrAppend(&text, i, " 100 _\n");
  for (int i = 0; i < count; ++i) absl::StrAppend(&text, "forward\n1 1\n", i, " _\n", i + 1, "\nConvolution\n{}\n");
  for (int i = 0; i < count; ++i) {
    absl::StrAppend(&text, "backward\n2 1\n", i + 1, " gradient\n", i, " input\n", i, "\nConvolution\n{}\n");
  }
  return text;
}

class PlanFormatTest : public CliTest {};

TEST_F(PlanFormatTest, WritesASchedule) {
  const std::string text = ChainOfConvolutions(16), path = Path("cg.txt"), schedule = Path("schedule.txt");
  ASSERT_TRUE(config::WriteFileAtomically(path, text).ok());
  const Outcome outcome = Str(
      absl::StrCat("plan ", path, " --strategy=kusumoto-exact --budget=1200 --format=mksch ", "--output=", schedule));
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const absl::StatusOr<optimizer::MkschFigures> figures =
      optimizer::RunMkschSchedule(*optimizer::ParseMksch(text), *config::ReadFile(schedule));
  ASSERT_TRUE(figures.ok()) << figures.status();
  EXPECT_LE(figures->peak_bytes_without_leaves, 1200);
  EXPECT_GT(figures->recompute_time, 0);
  // The same plan as a strategy file.
  const std::string strategy = Path("plan.conf");
  ASSERT_EQ(Str(absl::StrCat("plan ", path, " --strategy=kusumoto-exact --budget=1200 --output=", strategy)).exit_code,
            0);
  EXPECT_EQ(Str(absl::StrCat("simulate ", path, " ", strategy)).exit_code, 0);
  EXPECT_EQ(Str(absl::StrCat("check ", path)).exit_code, 0);
}

TEST_F(PlanFormatTest, RefusesOtherGraphsAndMissingOutputs) {
  Outcome outcome = Str(absl::StrCat("plan ", graph_, " --budget=90% --format=mksch --output=", Path("schedule.txt")));
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(outcome.err, HasSubstr("random.graph is no text graph of mksch"));
  outcome = Str(absl::StrCat("plan ", graph_, " --budget=90% --format=mksch"));
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(outcome.err, HasSubstr("--output=FILE"));
  EXPECT_EQ(Str(absl::StrCat("plan ", graph_, " --budget=90% --format=other")).exit_code, 1);
}

TEST_F(PlanFormatTest, DamagedGraphsAreRefusedByLine) {
  std::string text = ChainOfConvolutions(3);
  ASSERT_TRUE(config::WriteFileAtomically(Path("cg.txt"), text.substr(0, text.size() / 2)).ok());
  const Outcome outcome = Str(absl::StrCat("plan ", Path("cg.txt"), " --budget=90% --output=", Path("plan.conf")));
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(outcome.err, HasSubstr("cg.txt: line "));
}

}  // namespace
}  // namespace str::tools
