#include "tf_plugin/automatic/planner_process.h"

#include <cstdlib>
#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace str::automatic {
namespace {

TEST(PlannerProcess, ItsLinesAreSeenAndItsExitCode) {
  std::vector<std::string> lines;
  const auto result = RunProcess({"sh", "-c", "echo one >&2; echo dropped; printf 'two\\nthree' >&2; exit 3"},
                                 [&](absl::string_view line) { lines.emplace_back(line); });
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->exit_code, 3);
  EXPECT_EQ(result->errors, "one\ntwo\nthree");
  EXPECT_EQ(lines, std::vector<std::string>({"one", "two"}));
}

TEST(PlannerProcess, OneThatASignalEndsIsAnError) {
  const auto result = RunProcess({"sh", "-c", "kill -9 $$"}, [](absl::string_view) {});
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->exit_code, 128 + 9);
}

TEST(PlannerProcess, OneThatIsMissingIsNamed) {
  const auto result = RunProcess({"/no/such/planner"}, [](absl::string_view) {});
  ASSERT_FALSE(result.ok());
  EXPECT_NE(result.status().message().find("/no/such/planner"), std::string::npos);
}

TEST(PlannerProcess, TheCommandCanBeNamed) {
  setenv("STR_PLANNER", "/some/str", 1);
  EXPECT_EQ(PlannerCommand(), "/some/str");
  unsetenv("STR_PLANNER");
  EXPECT_FALSE(PlannerCommand().empty());
}

}  // namespace
}  // namespace str::automatic
