// str place as users meet it, and MiniMalloc's instances.
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "config/atomic_file.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "optimizer/testing/shared_data.h"
#include "optimizer/tools/buffer_csv.h"
#include "optimizer/tools/cli_fixture.h"

namespace str::tools {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class PlaceCommandTest : public CliTest {
 protected:
  std::string Csv(const std::string& name, const std::string& text) const {
    EXPECT_TRUE(config::WriteFileAtomically(Path(name), text).ok());
    return Path(name);
  }
};

TEST_F(PlaceCommandTest, PlacesAndWritesOffsets) {
  const std::string file = Csv("three.csv", "id,lower,upper,size\na,0,20,6\nb,10,30,4\nc,20,40,6\n");
  const Outcome placed = Str(absl::StrCat("place ", file, " --capacity=10 --output=", Path("placed.csv")));
  ASSERT_EQ(placed.exit_code, 0) << placed.err;
  EXPECT_THAT(placed.out, AllOf(HasSubstr("buffers      3\n"), HasSubstr("lower bound  10 bytes"),
                                HasSubstr("used         10 bytes"), HasSubstr("fits; no placement is smaller")));
  EXPECT_THAT(placed.err, IsEmpty());
  EXPECT_THAT(*config::ReadFile(Path("placed.csv")), HasSubstr("id,lower,upper,size,offset\na,0,20,6,"));
  const Outcome smallest = Str(absl::StrCat("place ", file, " --json=-"));
  EXPECT_EQ(smallest.exit_code, 0) << smallest.err;
  EXPECT_THAT(smallest.out,
              AllOf(HasSubstr("\"command\": \"place\""), HasSubstr("\"status\": \"fits\""), HasSubstr("\"buffers\": 3"),
                    HasSubstr("\"capacity_bytes\": null"), HasSubstr("\"lower_bound_bytes\": 10"),
                    HasSubstr("\"used_bytes\": 10"), HasSubstr("\"place_seconds\": "), Not(HasSubstr("fits;"))));
}

TEST_F(PlaceCommandTest, WhatCannotFitIsExitCode2) {
  const std::string file = Csv("three.csv", "id,lower,upper,size\na,0,20,6\nb,10,30,4\nc,20,40,6\n");
  const Outcome high = Str(absl::StrCat("place ", file, " --capacity=9 --output=", Path("placed.csv")));
  EXPECT_EQ(high.exit_code, 2);
  EXPECT_THAT(high.out, HasSubstr("does not fit: more bytes are held at once than the capacity"));
  EXPECT_FALSE(std::filesystem::exists(Path("placed.csv")));
}

TEST_F(PlaceCommandTest, BadInputIsExitCode1) {
  const std::string file = Csv("bad.csv", "id,lower,upper,size\n1,0,5,8\n2,7,7,8\n");
  const Outcome bad = Str(absl::StrCat("place ", file, " --capacity=100"));
  EXPECT_EQ(bad.exit_code, 1);
  EXPECT_THAT(bad.err, HasSubstr("bad.csv: line 3: upper 7 is not above lower 7"));
  const Outcome large = Str(absl::StrCat("place ", file, " --capacity=7"));
  EXPECT_EQ(large.exit_code, 1);
  EXPECT_THAT(large.err, HasSubstr("bad.csv: line 2: size 8 is above the capacity of 7 bytes"));
  EXPECT_THAT(Str(absl::StrCat("place ", file, " --capacity=lots")).err, HasSubstr("--capacity"));
  EXPECT_THAT(Str(absl::StrCat("place ", file, " --output=", Path("none/placed.csv"))).err, HasSubstr("--output"));
  EXPECT_EQ(Str(absl::StrCat("place ", Path("none.csv"))).exit_code, 1);
  EXPECT_EQ(Str(absl::StrCat("place ", graph_)).exit_code, 1);
}

TEST_F(PlaceCommandTest, PlacesMiniMallocsInstances) {
  if (optimizer::SharedData("minimalloc/A.csv").empty()) GTEST_SKIP() << optimizer::kNoSharedData;
  for (const char* name : {"A", "C", "E", "G", "I", "K"}) {
    SCOPED_TRACE(name);
    const std::string file = optimizer::SharedData(absl::StrCat("minimalloc/", name, ".csv"));
    ASSERT_FALSE(file.empty());
    const Outcome placed =
        Str(absl::StrCat("place ", file, " --capacity=1048576 --json=- --output=", Path("placed.csv")));
    ASSERT_EQ(placed.exit_code, 0) << placed.out << placed.err;
    EXPECT_THAT(placed.out, HasSubstr("\"status\": \"fits\""));
    // The offsets are those of the file that was written.
    const absl::StatusOr<std::vector<BufferRow>> rows = ParseBufferCsv(*config::ReadFile(file), file, 1048576);
    ASSERT_TRUE(rows.ok()) << rows.status();
    const std::string written = *config::ReadFile(Path("placed.csv"));
    std::vector<std::string> lines = absl::StrSplit(written, '\n', absl::SkipEmpty());
    ASSERT_EQ(lines.size(), rows->size() + 1);
    std::vector<int64_t> offsets;
    for (size_t i = 1; i < lines.size(); ++i) offsets.push_back(std::stoll(lines[i].substr(lines[i].rfind(',') + 1)));
    EXPECT_TRUE(CheckOffsets(*rows, offsets, 1048576).ok());
  }
}

TEST_F(PlaceCommandTest, TheLimitOfTheSearchIsExitCode3) {
  const std::string file = optimizer::SharedData("minimalloc/A.csv");
  if (file.empty()) GTEST_SKIP() << optimizer::kNoSharedData;
  const Outcome limit = Str(absl::StrCat("place ", file, " --capacity=1048576 --search-limit=0"));
  EXPECT_EQ(limit.exit_code, 3) << limit.out;
  EXPECT_THAT(limit.out, HasSubstr("no placement was found within --search-limit"));
}

}  // namespace
}  // namespace str::tools
