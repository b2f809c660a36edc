#include "config/spill_folder.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace str::config {
namespace {

std::string Environment(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

}  // namespace

absl::StatusOr<std::string> SpillFolder() {
  if (std::string folder = Environment("STR_SPILL_DIR"); !folder.empty()) return folder;
  std::error_code error;
  const std::filesystem::path temporary = std::filesystem::temp_directory_path(error);
  if (error) {
    return absl::InvalidArgumentError(
        absl::StrCat("TMPDIR=", Environment("TMPDIR"), ": must be a folder; STR_SPILL_DIR names another one"));
  }
  // Others may use the same temporary directory.
  return (temporary / absl::StrCat("str-spill-", getuid())).string();
}

int OpenNamelessFile(const std::string& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) {
    errno = error.value();
    return -1;
  }
  std::string name = absl::StrCat(folder, "/str-XXXXXX");
  const int descriptor = mkostemp(name.data(), O_CLOEXEC);
  if (descriptor >= 0) unlink(name.c_str());
  return descriptor;
}

std::optional<FileSystem> FindFileSystem(int descriptor) {
  struct statfs kind;
  struct statvfs space;
  if (fstatfs(descriptor, &kind) != 0 || fstatvfs(descriptor, &space) != 0) return std::nullopt;
  FileSystem system;
  system.in_memory = kind.f_type == TMPFS_MAGIC || kind.f_type == RAMFS_MAGIC;
  system.free_bytes = static_cast<int64_t>(space.f_bavail) * static_cast<int64_t>(space.f_frsize);
  return system;
}

}  // namespace str::config
