#include "tf_plugin/rewrite/tier_needs.h"

#include <unistd.h>

#include <cstdlib>
#include <optional>

#include "config/spill_folder.h"
#include "config/status_testing.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tf_plugin/rewrite/program_text.h"
#include "tf_plugin/testing/graph_builder.h"

namespace str::rewrite {
namespace {

using testing::GraphBuilder;

// a and c have 400 bytes each, b is made of a.
class TierNeedsTest : public ::testing::Test {
 protected:
  TierNeedsTest() {
    builder_.Floats("a", {100});
    builder_.Add("Neg", "b", {"a"});
    builder_.Add("Exp", "c", {"b"});
    builder_.Add("Neg", "d", {"c"});
  }

  TierNeeds Needs(const std::vector<std::string>& steps) {
    const graph::GraphView view = graph::MakeGraphView(builder_.graph());
    return FindTierNeeds(ProgramFor(view, steps), view);
  }

  GraphBuilder builder_;
};

TEST_F(TierNeedsTest, CountsFromTheSwapOutToTheLastSwapIn) {
  TierNeeds needs = Needs({"run b", "swap_out b:0", "run c", "swap_out c:0", "swap_out_wait b:0", "swap_out_wait c:0",
                           "swap_in b:0", "swap_in c:0", "run d"});
  EXPECT_EQ(needs.host_bytes, 800);
  EXPECT_EQ(needs.host_pool_bytes, 1024) << "in multiples of 256 bytes";
  EXPECT_EQ(needs.disk_bytes, 0);
  EXPECT_FALSE(needs.uses_disk);
  // b is back for good before c goes.
  needs = Needs({"run b", "swap_out b:0", "swap_out_wait b:0", "swap_in b:0", "run c", "swap_out c:0",
                 "swap_out_wait c:0", "swap_in c:0", "run d"});
  EXPECT_EQ(needs.host_bytes, 400);
  EXPECT_EQ(needs.host_pool_bytes, 512) << "c lies where b was";
}

TEST_F(TierNeedsTest, EachTierHasItsOwnCount) {
  const TierNeeds needs = Needs({"run b", "swap_out_disk b:0", "run c", "swap_out c:0", "swap_out_wait b:0",
                                 "swap_out_wait c:0", "swap_in b:0", "swap_in c:0", "run d"});
  EXPECT_EQ(needs.host_bytes, 400);
  EXPECT_EQ(needs.disk_bytes, 400);
  EXPECT_TRUE(needs.uses_disk);
}

TEST_F(TierNeedsTest, LimitsAreSaidWithWhatToDo) {
  const TierNeeds needs = {1000, 2000, true};
  EXPECT_OK(CheckTiers(needs, {}));
  EXPECT_OK(CheckTiers(needs, {1000, 2000}));
  EXPECT_TRUE(config::IsError(CheckTiers(needs, {999, 2000}), absl::StatusCode::kFailedPrecondition,
                              "of the host, STR_HOST_LIMIT allows 999 bytes; plan with --host-limit=999"));
  EXPECT_TRUE(config::IsError(CheckTiers(needs, {1000, 0}), absl::StatusCode::kFailedPrecondition,
                              "of the disk, STR_DISK_LIMIT allows 0 bytes"));
  EXPECT_TRUE(config::IsError(CheckTiers({0, int64_t{1} << 60, true}, {}), absl::StatusCode::kFailedPrecondition,
                              "STR_SPILL_DIR"));
  EXPECT_OK(CheckTiers({1000, 0, false}, {1000, 0}));
}

// Whether `folder` is memory; nullopt if it cannot be written.
std::optional<bool> IsMemory(const std::string& folder) {
  const int file = config::OpenNamelessFile(folder);
  if (file < 0) return std::nullopt;
  const std::optional<config::FileSystem> system = config::FindFileSystem(file);
  close(file);
  if (!system.has_value()) return std::nullopt;
  return system->in_memory;
}

// The spill file is opened once per process, so each of these opens it in a process of its own that starts afresh.
[[noreturn]] void CheckWithSpillFolder(const std::string& folder) {
  unsetenv("STR_VERBOSE");
  setenv("STR_SPILL_DIR", folder.c_str(), 1);
  std::exit(CheckTiers({0, 1000, true}, {}).ok() ? 0 : 3);
}

TEST(TierNeedsDeathTest, ADiskThatIsMemoryIsSaidAndUsedAllTheSame) {
  const std::string folder = "/dev/shm";
  if (!IsMemory(folder).value_or(false)) GTEST_SKIP() << "skipped: no tmpfs in " << folder;
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(CheckWithSpillFolder(folder), ::testing::ExitedWithCode(0),
              "STR-3004 \"/dev/shm\" is memory \\(tmpfs\\), not a disk.*STR_SPILL_DIR");
}

TEST(TierNeedsDeathTest, ADiskIsUsedWithoutAWord) {
  const std::string folder = ::testing::TempDir();
  if (IsMemory(folder).value_or(true)) GTEST_SKIP() << "skipped: " << folder << " is not on a disk";
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(CheckWithSpillFolder(folder), ::testing::ExitedWithCode(0),
              ::testing::Not(::testing::HasSubstr("STR-3004")));
}

}  // namespace
}  // namespace str::rewrite
