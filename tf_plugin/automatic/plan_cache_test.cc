#include "tf_plugin/automatic/plan_cache.h"

#include <chrono>
#include <cstdlib>
#include <filesystem>

#include "absl/strings/str_cat.h"
#include "config/atomic_file.h"
#include "config/status_testing.h"
#include "gtest/gtest.h"

namespace str::automatic {
namespace {

namespace fs = std::filesystem;

TEST(PlanCache, IsInTheHomeDirectoryUnlessNamed) {
  setenv("HOME", "/home/somebody", 1);
  unsetenv("STR_CACHE_DIR");
  EXPECT_EQ(CacheDirectory(), "/home/somebody/.str/cache");
  setenv("STR_CACHE_DIR", "/elsewhere", 1);
  EXPECT_EQ(CacheDirectory(), "/elsewhere");
  unsetenv("STR_CACHE_DIR");
}

TEST(PlanCache, TellsPlansApart) {
  const PlanKey key = {"0123", "CPU:0", 1000, "--strategy=str"};
  PlanKey other_budget = key, other_options = key, other_graph = key;
  other_budget.budget_bytes = 2000;
  other_options.options = "--strategy=recompute-only";
  other_graph.fingerprint = "4567";
  EXPECT_EQ(StrategyFileName(key), StrategyFileName(PlanKey(key)));
  EXPECT_NE(StrategyFileName(key), StrategyFileName(other_budget));
  EXPECT_NE(StrategyFileName(key), StrategyFileName(other_options));
  EXPECT_NE(StrategyFileName(key), StrategyFileName(other_graph));
  EXPECT_EQ(GraphFileName(key), "0123-CPU_0.graph");
  EXPECT_EQ(GraphFileName(key), GraphFileName(other_budget));
}

TEST(PlanCache, ForgetsWhatWasNotUsedForLongest) {
  const std::string folder = absl::StrCat(::testing::TempDir(), "cache");
  const auto path = [&](const std::string& name) { return absl::StrCat(folder, "/", name); };
  const auto now = fs::file_time_type::clock::now();
  int age = 10;
  for (const char* name : {"0123456789abcdef-a.conf", "0123456789abcdef-b.graph", "0123456789abcdef-c.conf", "notes.txt", "mine.conf"}) {
    EXPECT_OK(config::WriteFileAtomically(path(name), "text"));
    fs::last_write_time(path(name), now - std::chrono::hours(age--));
  }
  Touch(path("0123456789abcdef-a.conf"));
  Prune(folder, 2);
  EXPECT_TRUE(fs::exists(path("0123456789abcdef-a.conf")));
  EXPECT_FALSE(fs::exists(path("0123456789abcdef-b.graph")));
  EXPECT_TRUE(fs::exists(path("0123456789abcdef-c.conf")));
  EXPECT_TRUE(fs::exists(path("notes.txt")));
  EXPECT_TRUE(fs::exists(path("mine.conf")));
  fs::remove_all(folder);
}

}  // namespace
}  // namespace str::automatic
