#include "config/strategy_io.h"

#include <filesystem>
#include <random>
#include <string>

#include "config/atomic_file.h"
#include "config/status_testing.h"
#include "config/test_examples.h"
#include "google/protobuf/util/message_differencer.h"
#include "gtest/gtest.h"

namespace str::config {
namespace {

using ::google::protobuf::util::MessageDifferencer;

TEST(StrategyIoTest, WrittenAndReadBack) {
  const std::string path = ::testing::TempDir() + "/.str/strategy.conf";
  EXPECT_OK(WriteStrategy(ExampleStrategy(), path));
  const absl::StatusOr<StrategyFile> strategy = ReadStrategy(path);
  EXPECT_OK(strategy.status());
  EXPECT_TRUE(MessageDifferencer::Equals(*strategy, ExampleStrategy()));
}

TEST(StrategyIoTest, ExampleStrategiesAreValid) {
  int files = 0;
  for (const auto& file : std::filesystem::directory_iterator("config/strategies")) {
    const absl::StatusOr<StrategyFile> strategy = ReadStrategy(file.path().string());
    ASSERT_TRUE(strategy.ok()) << strategy.status();
    EXPECT_LE(strategy->predicted_peak_bytes(), strategy->budget_bytes()) << file.path();
    EXPECT_LE(strategy->bound_seconds(), strategy->predicted_step_seconds()) << file.path();
    ++files;
  }
  EXPECT_EQ(files, 9) << "three models, three budgets";
}

TEST(StrategyIoTest, HeaderForPeople) {
  const std::string text = StrategyText(ExampleStrategy());
  for (const char* line :
       {"# Graph:     train_step, fingerprint 0123456789abcdef, TensorFlow 2.21.0, CPU:0\n",
        "# Budget:    5.91 GiB (6345678901 bytes)\n", "# Peak:      4.00 KiB (4096 bytes) predicted\n",
        "# Step time: 0.55 s predicted, +10.0 % against 0.5 s with everything kept\n",
        "# Changes:   1 tensor swapped (brought back 1 time), 1 node recomputed\n",
        "# Planner:   str, solver highs\n", "STR_DISABLE=1 switches it off"}) {
    EXPECT_TRUE(absl::StrContains(text, line)) << line << " in\n" << text;
  }
}

TEST(StrategyIoTest, HeaderWithoutBaselineOrSolver) {
  StrategyFile strategy = ExampleStrategy();
  strategy.clear_baseline_step_seconds();
  strategy.clear_solver();
  const std::string text = StrategyText(strategy);
  EXPECT_TRUE(absl::StrContains(text, "# Step time: 0.55 s predicted\n")) << text;
  EXPECT_TRUE(absl::StrContains(text, "# Planner:   str\n")) << text;
}

TEST(StrategyIoTest, OriginalIniIsRefusedAsSuch) {
  for (const char* text : {"[solution]\nstrategy=hybrid\n[hybrid]\nr=0.5\np=1\nq=2\n", "[solution]\nstrategy=none\n",
                           "strategy=swap\ntags=conv1\n"}) {
    const absl::Status status = ParseStrategy(text, "old.conf").status();
    EXPECT_TRUE(IsInvalid(status, "old.conf: this is a strategy in STR's original INI form"));
    EXPECT_TRUE(IsInvalid(status, "convert it with str import"));
  }
}

TEST(StrategyIoTest, RandomBytesAreRefused) {
  const unsigned seed = std::random_device()();
  SCOPED_TRACE(seed);
  std::mt19937 random(seed);
  for (int i = 0; i < 500; ++i) {
    std::string bytes(1 + random() % 2000, '\0');
    for (char& byte : bytes) byte = static_cast<char>(random());
    EXPECT_TRUE(IsInvalid(ParseStrategy(bytes, "noise.conf").status(), "noise.conf"));
  }
  EXPECT_TRUE(IsInvalid(ParseStrategy(std::string(100, '\0'), "zero.conf").status(), "zero.conf:1: is not text"));
}

TEST(StrategyIoTest, ErrorsNameTheFile) {
  EXPECT_TRUE(IsError(ReadStrategy("/no/such.conf").status(), absl::StatusCode::kNotFound, "/no/such.conf"));
  EXPECT_TRUE(IsInvalid(ParseStrategy("", "empty.conf").status(), "empty.conf: is empty; expected a strategy file"));
  EXPECT_TRUE(IsInvalid(ParseStrategy("format_version: 2", "v2.conf").status(), "v2.conf: format_version is 2"));
  const std::string text = StrategyText(ExampleStrategy());
  EXPECT_TRUE(IsInvalid(ParseStrategy(text.substr(0, text.size() - 5), "cut.conf").status(), "cut.conf:"));
}

// Wherever it happens, also between two steps.
TEST(StrategyIoTest, ACutOffFileIsNoticed) {
  const std::string text = StrategyText(ExampleStrategy());
  const size_t last_step = text.rfind("\nstep {");
  EXPECT_TRUE(IsInvalid(ParseStrategy(text.substr(0, last_step + 1), "cut.conf").status(),
                        "cut.conf: step_count is 11, but there are 10 steps: the file is cut off"));
  EXPECT_TRUE(IsInvalid(ParseStrategy(text.substr(0, text.size() - 2), "cut.conf").status(),
                        "got: the end of the file: is it cut off?"));
  const size_t whole = text.find_last_not_of('\n') + 1;
  for (size_t size = text.find("format_version"); size < whole; ++size) {
    EXPECT_FALSE(ParseStrategy(text.substr(0, size), "cut.conf").ok()) << text.substr(0, size);
  }
}

TEST(StrategyIoTest, FilesWithoutACountAreRead) {
  std::string text = StrategyText(ExampleStrategy());
  const size_t count = text.find("step_count: 11\n");
  ASSERT_NE(count, std::string::npos);
  EXPECT_LT(count, text.find("\nstep {"));
  text.erase(count, text.find('\n', count) + 1 - count);
  const absl::StatusOr<StrategyFile> strategy = ParseStrategy(text, "older.conf");
  EXPECT_OK(strategy.status());
  EXPECT_TRUE(MessageDifferencer::Equals(*strategy, ExampleStrategy()));
}

TEST(StrategyIoTest, InvalidStrategyIsNotWritten) {
  const std::string path = ::testing::TempDir() + "/kept.conf";
  EXPECT_OK(WriteFileAtomically(path, "before"));
  EXPECT_TRUE(IsInvalid(WriteStrategy(StrategyFile(), path), "strategy not written to " + path));
  EXPECT_EQ(*ReadFile(path), "before");
}

}  // namespace
}  // namespace str::config
