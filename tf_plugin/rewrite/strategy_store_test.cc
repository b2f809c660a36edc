#include "tf_plugin/rewrite/strategy_store.h"

#include <filesystem>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "config/atomic_file.h"
#include "config/status_testing.h"
#include "config/strategy_io.h"
#include "gtest/gtest.h"

namespace str::rewrite {
namespace {

constexpr char kA[] = "00000000000000aa";
constexpr char kB[] = "00000000000000bb";

class StrategyStoreTest : public ::testing::Test {
 protected:
  StrategyStoreTest()
      : folder_(
            absl::StrCat(::testing::TempDir(), "/", ::testing::UnitTest::GetInstance()->current_test_info()->name())) {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }

  std::string Write(const std::string& file, const std::string& fingerprint, const std::string& planner = "") {
    config::StrategyFile strategy;
    strategy.set_format_version(1);
    strategy.set_graph_fingerprint(fingerprint);
    strategy.set_tensorflow_version("2.21.0");
    strategy.set_planner(planner);
    strategy.add_step()->set_run("x");
    const std::string path = folder_ + "/" + file;
    EXPECT_OK(config::WriteStrategy(strategy, path));
    return path;
  }

  const std::string folder_;
};

TEST_F(StrategyStoreTest, AFileIsOneStrategy) {
  const std::string path = Write("a.conf", kA);
  Write("b.conf", kB);
  const Strategies strategies = LoadStrategies(path, /*must_exist=*/true);
  EXPECT_OK(strategies.error);
  ASSERT_EQ(strategies.by_fingerprint.size(), 1);
  EXPECT_EQ(strategies.by_fingerprint.at(kA).path, path);
  EXPECT_EQ(strategies.by_fingerprint.at(kA).strategy->step(0).run(), "x");
}

TEST_F(StrategyStoreTest, AFileMayHaveAnyName) {
  EXPECT_EQ(LoadStrategies(Write("plan.txt", kA), true).by_fingerprint.size(), 1);
}

TEST_F(StrategyStoreTest, OfAFolderAllConfFilesAreRead) {
  Write("a.conf", kA);
  Write("b.conf", kB);
  EXPECT_OK(config::WriteFileAtomically(folder_ + "/notes.txt", "no strategy"));
  const Strategies strategies = LoadStrategies(folder_, true);
  EXPECT_OK(strategies.error);
  EXPECT_EQ(strategies.by_fingerprint.size(), 2);
}

TEST_F(StrategyStoreTest, OfTwoForOneGraphTheFirstByNameIsUsed) {
  Write("2.conf", kA, "second");
  Write("1.conf", kA, "first");
  const Strategies strategies = LoadStrategies(folder_, true);
  EXPECT_EQ(strategies.by_fingerprint.at(kA).strategy->planner(), "first");
}

TEST_F(StrategyStoreTest, ADamagedFileDoesNotKeepOthersFromBeingUsed) {
  EXPECT_OK(config::WriteFileAtomically(folder_ + "/a.conf", "format_version: banana"));
  Write("b.conf", kB);
  const Strategies strategies = LoadStrategies(folder_, true);
  EXPECT_TRUE(absl::StrContains(strategies.error.message(), "a.conf")) << strategies.error;
  EXPECT_EQ(strategies.by_fingerprint.count(kB), 1);
}

TEST_F(StrategyStoreTest, AMissingFileIsAnErrorOnlyWhereItWasAskedFor) {
  const std::string missing = folder_ + "/none.conf";
  EXPECT_TRUE(config::IsError(LoadStrategies(missing, true).error, absl::StatusCode::kNotFound, missing));
  EXPECT_OK(LoadStrategies(missing, false).error);
  EXPECT_OK(LoadStrategies("", true).error);
}

TEST_F(StrategyStoreTest, AnEmptyFolderHasNone) {
  const Strategies strategies = LoadStrategies(folder_, true);
  EXPECT_OK(strategies.error);
  EXPECT_TRUE(strategies.by_fingerprint.empty());
}

}  // namespace
}  // namespace str::rewrite
