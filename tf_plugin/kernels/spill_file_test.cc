#include "tf_plugin/kernels/spill_file.h"

#include <sys/resource.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "config/status_testing.h"
#include "gtest/gtest.h"

namespace str::kernels {
namespace {

constexpr int64_t kBlock = 4096;

class SpillFileTest : public ::testing::Test {
 protected:
  SpillFileTest()
      : folder_(absl::StrCat(::testing::TempDir(), "/spill_",
                             ::testing::UnitTest::GetInstance()->current_test_info()->name())),
        file_(folder_) {
    std::filesystem::remove_all(folder_);
  }

  SpillRange Take(int64_t bytes) { return *file_.Take(bytes); }

  const std::string folder_;
  SpillFile file_;
};

TEST_F(SpillFileTest, WhatIsWrittenIsReadAndTheFolderIsEmpty) {
  std::string text(100000, 'x'), read(100000, ' ');
  for (size_t i = 0; i < text.size(); ++i) text[i] = static_cast<char>(i * 7);
  const SpillRange first = Take(10), range = Take(static_cast<int64_t>(text.size()));
  EXPECT_OK(first.Write("0123456789"));
  EXPECT_OK(range.Write(text.data()));
  EXPECT_OK(range.Read(read.data()));
  EXPECT_EQ(read, text);
  EXPECT_OK(first.Read(read.data()));
  EXPECT_EQ(read.substr(0, 10), "0123456789");
  EXPECT_TRUE(std::filesystem::is_empty(folder_));
}

TEST_F(SpillFileTest, EmptyTensorsNeedNoRoom) {
  const SpillRange empty = Take(0);
  EXPECT_OK(empty.Write(nullptr));
  EXPECT_OK(empty.Read(nullptr));
  EXPECT_EQ(file_.file_bytes(), 0);
}

TEST_F(SpillFileTest, RangesAreUsedAgain) {
  std::optional<SpillRange> a(Take(kBlock)), b(Take(2 * kBlock)), c(Take(kBlock));
  EXPECT_EQ(file_.bytes_in_use(), 4 * kBlock);
  b.reset();
  EXPECT_EQ(Take(2 * kBlock).offset(), kBlock);
  a.reset();
  // Both gaps are one now.
  const SpillRange large = Take(3 * kBlock);
  EXPECT_EQ(large.offset(), 0);
  EXPECT_EQ(Take(1).offset(), 4 * kBlock) << "behind everything in use";
  c.reset();
  EXPECT_EQ(Take(2 * kBlock).offset(), 3 * kBlock) << "what was c's and what was behind it";
  EXPECT_EQ(file_.file_bytes(), 5 * kBlock);
}

TEST_F(SpillFileTest, RandomRangesNeverOverlap) {
  struct Held {
    SpillRange range;
    std::string text;
  };
  std::mt19937 random(3);
  std::vector<std::unique_ptr<Held>> slots(30);
  int64_t most = 0;
  for (int i = 0; i < 2000; ++i) {
    std::unique_ptr<Held>& slot = slots[random() % slots.size()];
    if (slot == nullptr) {
      std::string text(1 + random() % 20000, ' ');
      for (char& c : text) c = static_cast<char>(random());
      slot = std::make_unique<Held>(Held{Take(static_cast<int64_t>(text.size())), text});
      EXPECT_OK(slot->range.Write(text.data()));
      most = std::max(most, file_.bytes_in_use());
    } else {
      std::string read(slot->text.size(), ' ');
      EXPECT_OK(slot->range.Read(read.data()));
      ASSERT_EQ(read, slot->text);
      slot.reset();
    }
  }
  EXPECT_LT(file_.file_bytes(), 2 * most) << "gaps are filled";
  slots.clear();
  EXPECT_EQ(file_.bytes_in_use(), 0);
}

TEST_F(SpillFileTest, AFolderThatCannotBeMadeIsNamed) {
  std::ofstream(folder_) << "a file";
  for (const absl::Status& status : {file_.Open(1), file_.Take(1).status()}) {
    EXPECT_TRUE(config::IsError(status, absl::StatusCode::kFailedPrecondition, folder_));
    EXPECT_TRUE(config::IsError(status, absl::StatusCode::kFailedPrecondition, "STR_SPILL_DIR"));
  }
}

TEST_F(SpillFileTest, MoreThanIsFreeIsSaidBeforehand) {
  EXPECT_OK(file_.Open(1));
  EXPECT_TRUE(config::IsError(file_.Open(int64_t{1} << 60), absl::StatusCode::kResourceExhausted, "make room there"));
}

// From now on this process's files may have one block.
absl::Status WriteTwoBlocksOfOne(SpillFile* file) {
  std::signal(SIGXFSZ, SIG_IGN);
  const rlimit one_block = {kBlock, kBlock};
  setrlimit(RLIMIT_FSIZE, &one_block);
  const std::string text(2 * kBlock, 'x');
  return file->Take(2 * kBlock)->Write(text.data());
}

TEST_F(SpillFileTest, AFullDiskIsAnErrorAndNotWrongData) {
  EXPECT_EXIT(
      {
        const absl::Status status = WriteTwoBlocksOfOne(&file_);
        std::exit(absl::IsResourceExhausted(status) && absl::StrContains(status.message(), folder_) ? 0 : 3);
      },
      ::testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace str::kernels
