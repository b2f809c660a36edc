#include "config/atomic_file.h"

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "config/status_testing.h"
#include "gtest/gtest.h"

namespace str::config {
namespace {

class AtomicFileTest : public ::testing::Test {
 protected:
  void SetUp() override {
    directory_ = absl::StrCat(::testing::TempDir(), "/", getpid(), "-",
                              ::testing::UnitTest::GetInstance()->current_test_info()->name());
    ASSERT_EQ(mkdir(directory_.c_str(), 0777), 0);
  }

  std::vector<std::string> Names() const {
    std::vector<std::string> names;
    DIR* directory = opendir(directory_.c_str());
    while (const dirent* entry = readdir(directory)) {
      const std::string name = entry->d_name;
      if (name != "." && name != "..") names.push_back(name);
    }
    closedir(directory);
    return names;
  }

  std::string directory_;
};

TEST_F(AtomicFileTest, ReadsBackWhatWasWritten) {
  const std::string path = directory_ + "/file";
  const std::string contents("a\0b\n", 4);
  EXPECT_OK(WriteFileAtomically(path, contents));
  EXPECT_EQ(*ReadFile(path), contents);
  EXPECT_OK(WriteFileAtomically(path, "shorter"));
  EXPECT_EQ(*ReadFile(path), "shorter");
  EXPECT_EQ(Names(), std::vector<std::string>{"file"});
}

TEST_F(AtomicFileTest, MoreThanOneReadBuffer) {
  const std::string path = directory_ + "/file";
  const std::string contents(300'000, 'x');
  EXPECT_OK(WriteFileAtomically(path, contents));
  EXPECT_EQ(*ReadFile(path), contents);
}

TEST_F(AtomicFileTest, CreatesParentDirectories) {
  const std::string path = directory_ + "/a/b//c/file";
  EXPECT_OK(WriteFileAtomically(path, "text"));
  EXPECT_EQ(*ReadFile(path), "text");
}

TEST_F(AtomicFileTest, RelativePath) {
  ASSERT_EQ(chdir(directory_.c_str()), 0);
  EXPECT_OK(WriteFileAtomically("plain", "text"));
  EXPECT_EQ(*ReadFile("plain"), "text");
}

TEST_F(AtomicFileTest, MissingFileIsNamed) {
  const absl::Status status = ReadFile(directory_ + "/none").status();
  EXPECT_TRUE(IsError(status, absl::StatusCode::kNotFound, "/none\""));
  EXPECT_TRUE(IsError(status, absl::StatusCode::kNotFound, "No such file or directory"));
}

TEST_F(AtomicFileTest, ReadingADirectoryFails) {
  EXPECT_TRUE(IsError(ReadFile(directory_).status(), absl::StatusCode::kFailedPrecondition, "Is a directory"));
}

TEST_F(AtomicFileTest, AFileInTheWayOfADirectory) {
  EXPECT_OK(WriteFileAtomically(directory_ + "/file", "text"));
  const absl::Status status = WriteFileAtomically(directory_ + "/file/below", "text");
  EXPECT_FALSE(status.ok());
  EXPECT_TRUE(absl::StrContains(status.message(), "Not a directory")) << status;
  EXPECT_TRUE(absl::StrContains(status.message(), "/file")) << status;
}

TEST_F(AtomicFileTest, FailureLeavesNoTemporaryFile) {
  ASSERT_EQ(mkdir((directory_ + "/taken").c_str(), 0777), 0);
  const absl::Status status = WriteFileAtomically(directory_ + "/taken", "text");
  EXPECT_FALSE(status.ok());
  EXPECT_TRUE(absl::StrContains(status.message(), "/taken\"")) << status;
  EXPECT_EQ(Names(), std::vector<std::string>{"taken"});
}

TEST_F(AtomicFileTest, ReadersNeverSeeHalfAFile) {
  const std::string path = directory_ + "/file";
  const std::string first(100'000, '1');
  const std::string second(50'000, '2');
  EXPECT_OK(WriteFileAtomically(path, first));
  std::thread writer([&] {
    for (int i = 0; i < 50; ++i) EXPECT_OK(WriteFileAtomically(path, i % 2 == 0 ? second : first));
  });
  for (int i = 0; i < 200; ++i) {
    const absl::StatusOr<std::string> seen = ReadFile(path);
    EXPECT_OK(seen.status());
    EXPECT_TRUE(*seen == first || *seen == second);
  }
  writer.join();
}

}  // namespace
}  // namespace str::config
