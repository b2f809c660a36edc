// For tests of the command line: runs the binary as a user would, in a folder of its own.
#ifndef STR_OPTIMIZER_TOOLS_CLI_FIXTURE_H_
#define STR_OPTIMIZER_TOOLS_CLI_FIXTURE_H_

#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "absl/strings/str_cat.h"
#include "config/atomic_file.h"
#include "config/graph_io.h"
#include "gtest/gtest.h"
#include "optimizer/testing/training_graph.h"

namespace str::tools {

struct Outcome {
  int exit_code = -1;
  std::string out, err;
};

// HOME is inside the folder; `graph_` is the file of a random training graph.
class CliTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const ::testing::TestInfo* info = ::testing::UnitTest::GetInstance()->current_test_info();
    folder_ = std::filesystem::path(::testing::TempDir()) / absl::StrCat("cli_", info->name());
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
    graph_ = Path("random.graph");
    ASSERT_TRUE(config::WriteGraph(optimizer::RandomTrainingGraph({.seed = 4, .layers = 8}), graph_).ok());
  }

  std::string Path(const std::string& name) const { return (folder_ / name).string(); }

  Outcome Str(const std::string& arguments, const std::string& environment = "") const {
    const std::string command =
        absl::StrCat("HOME='", Path("home"), "' STR_CONFIG_DIR=config ", environment, " optimizer/tools/str ",
                     arguments, " >'", Path("out"), "' 2>'", Path("err"), "'");
    const int status = std::system(command.c_str());
    Outcome outcome;
    outcome.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    outcome.out = *config::ReadFile(Path("out"));
    outcome.err = *config::ReadFile(Path("err"));
    return outcome;
  }

  std::filesystem::path folder_;
  std::string graph_;
};

}  // namespace str::tools

#endif  // STR_OPTIMIZER_TOOLS_CLI_FIXTURE_H_
