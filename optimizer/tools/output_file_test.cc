#include "optimizer/tools/output_file.h"

#include <filesystem>
#include <fstream>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace str::tools {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

TEST(OutputFileTest, TheFolderHasToBeThere) {
  const std::string folder = ::testing::TempDir() + "/output_file_test";
  std::filesystem::remove_all(folder);
  EXPECT_THAT(std::string(CheckOutputFile("--json", folder + "/rows.json").message()),
              AllOf(HasSubstr("--json: there is no folder \"" + folder + "\""), HasSubstr("mkdir -p " + folder)));
  EXPECT_FALSE(std::filesystem::exists(folder));
  std::filesystem::create_directory(folder);
  EXPECT_TRUE(CheckOutputFile("--json", folder + "/rows.json").ok());
  std::ofstream(folder + "/rows.json") << "{}";
  EXPECT_TRUE(CheckOutputFile("--json", folder + "/rows.json").ok()) << "a file that is there is replaced";
  EXPECT_FALSE(CheckOutputFile("--json", folder + "/rows.json/more.json").ok()) << "in a file";
  EXPECT_THAT(std::string(CheckOutputFile("--output", folder).message()), HasSubstr("is a folder; name a file in it"));
}

TEST(OutputFileTest, NothingAndStdoutAndNamesWithoutAFolder) {
  for (const char* path : {"", "-", "plan.conf", "./plan.conf"}) {
    EXPECT_TRUE(CheckOutputFile("--output", path).ok()) << path;
  }
}

}  // namespace
}  // namespace str::tools
