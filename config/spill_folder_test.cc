#include "config/spill_folder.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/str_cat.h"
#include "config/status_testing.h"
#include "gtest/gtest.h"

namespace str::config {
namespace {

// An empty place of the test's own.
std::string Fresh(const char* name) {
  const std::string path = absl::StrCat(::testing::TempDir(), "/spill_folder_", name);
  std::filesystem::remove_all(path);
  return path;
}

TEST(SpillFolderTest, IsTheUsersOwnUnlessNamed) {
  unsetenv("STR_SPILL_DIR");
  const std::string temporary = Fresh("tmp");
  std::filesystem::create_directory(temporary);
  setenv("TMPDIR", temporary.c_str(), 1);
  absl::StatusOr<std::string> folder = SpillFolder();
  ASSERT_TRUE(folder.ok()) << folder.status();
  EXPECT_EQ(*folder, absl::StrCat(temporary, "/str-spill-", getuid()));
  setenv("STR_SPILL_DIR", "", 1);
  EXPECT_EQ(*SpillFolder(), *folder) << "empty is as if it were not set";
  setenv("STR_SPILL_DIR", "elsewhere", 1);
  EXPECT_EQ(*SpillFolder(), "elsewhere");
}

TEST(SpillFolderTest, ATemporaryDirectoryThatIsMissingIsNamed) {
  unsetenv("STR_SPILL_DIR");
  const std::string missing = Fresh("missing");
  setenv("TMPDIR", missing.c_str(), 1);
  EXPECT_TRUE(IsError(SpillFolder().status(), absl::StatusCode::kInvalidArgument,
                      absl::StrCat("TMPDIR=", missing, ": must be a folder; STR_SPILL_DIR")));
}

TEST(OpenNamelessFileTest, CanBeWrittenAndHasNoName) {
  const std::string folder = Fresh("nested") + "/deeper";
  const int file = OpenNamelessFile(folder);
  ASSERT_GE(file, 0);
  const absl::Cleanup close_file = [file] { close(file); };
  EXPECT_TRUE(std::filesystem::is_empty(folder));
  struct stat facts;
  ASSERT_EQ(fstat(file, &facts), 0);
  EXPECT_EQ(facts.st_nlink, 0u);
  char read[5] = {};
  EXPECT_EQ(pwrite(file, "text", 4, 0), 4);
  EXPECT_EQ(pread(file, read, 4, 0), 4);
  EXPECT_STREQ(read, "text");
  EXPECT_EQ(fcntl(file, F_GETFD) & FD_CLOEXEC, FD_CLOEXEC) << "processes that are started do not keep it";
}

TEST(OpenNamelessFileTest, SaysWhyNot) {
  const std::string path = Fresh("file");
  std::ofstream(path) << "not a folder";
  errno = 0;
  EXPECT_EQ(OpenNamelessFile(path), -1);
  EXPECT_EQ(errno, ENOTDIR);
}

TEST(FindFileSystemTest, TellsMemoryFromTheRest) {
  // Neither of the two is a disk, but only one is memory.
  const int proc = open("/proc", O_RDONLY | O_CLOEXEC);
  ASSERT_GE(proc, 0);
  EXPECT_FALSE(FindFileSystem(proc)->in_memory);
  close(proc);
  const int memory = OpenNamelessFile("/dev/shm");
  if (memory < 0) GTEST_SKIP() << "skipped: no /dev/shm";
  EXPECT_TRUE(FindFileSystem(memory)->in_memory);
  close(memory);
}

TEST(FindFileSystemTest, RoomIsThatOfTheFilesFolder) {
  const int file = OpenNamelessFile(::testing::TempDir());
  ASSERT_GE(file, 0);
  const std::optional<FileSystem> found = FindFileSystem(file);
  close(file);
  ASSERT_TRUE(found.has_value());
  // Others write at the same time.
  const double free_bytes = static_cast<double>(std::filesystem::space(::testing::TempDir()).available);
  EXPECT_NEAR(static_cast<double>(found->free_bytes), free_bytes, 0.1 * free_bytes);
  EXPECT_FALSE(FindFileSystem(file).has_value()) << "of a file that is closed nothing is known";
}

}  // namespace
}  // namespace str::config
