#include "config/atomic_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <string>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/str_cat.h"

namespace str::config {
namespace {

absl::Status SystemError(int error, absl::string_view what, absl::string_view path) {
  return absl::ErrnoToStatus(error, absl::StrCat("cannot ", what, " \"", path, "\""));
}

// The part of `path` before its last slash; "" if there is none.
std::string DirectoryOf(const std::string& path) {
  const size_t slash = path.rfind('/');
  if (slash == std::string::npos) return "";
  return slash == 0 ? "/" : path.substr(0, slash);
}

absl::Status MakeDirectories(const std::string& directory) {
  if (directory.empty() || mkdir(directory.c_str(), 0777) == 0 || errno == EEXIST) return absl::OkStatus();
  if (errno != ENOENT) return SystemError(errno, "create directory", directory);
  if (absl::Status parent = MakeDirectories(DirectoryOf(directory)); !parent.ok()) return parent;
  // Somebody else may have made it in the meantime.
  if (mkdir(directory.c_str(), 0777) == 0 || errno == EEXIST) return absl::OkStatus();
  return SystemError(errno, "create directory", directory);
}

absl::Status WriteAll(int file, absl::string_view contents, const std::string& path) {
  while (!contents.empty()) {
    const ssize_t written = write(file, contents.data(), contents.size());
    if (written < 0) {
      if (errno == EINTR) continue;
      return SystemError(errno, "write", path);
    }
    contents.remove_prefix(written);
  }
  if (fsync(file) != 0) return SystemError(errno, "write", path);
  return absl::OkStatus();
}

// Unique among the processes of this machine and the threads of this process.
std::string TemporaryNameFor(const std::string& path) {
  static std::atomic<int> counter{0};
  return absl::StrCat(path, ".tmp-", getpid(), "-", counter.fetch_add(1));
}

}  // namespace

absl::StatusOr<std::string> ReadFile(const std::string& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return SystemError(errno, "open", path);
  absl::Cleanup close_file = [file] { close(file); };

  std::string contents;
  struct stat info;
  if (fstat(file, &info) == 0 && info.st_size > 0) contents.reserve(info.st_size);
  char buffer[1 << 16];
  while (true) {
    const ssize_t got = read(file, buffer, sizeof(buffer));
    if (got == 0) return contents;
    if (got < 0) {
      if (errno == EINTR) continue;
      return SystemError(errno, "read", path);
    }
    contents.append(buffer, got);
  }
}

absl::Status WriteFileAtomically(const std::string& path, absl::string_view contents) {
  if (absl::Status made = MakeDirectories(DirectoryOf(path)); !made.ok()) return made;
  const std::string temporary = TemporaryNameFor(path);
  const int file = open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (file < 0) return SystemError(errno, "write", path);
  absl::Cleanup remove_temporary = [&temporary] { unlink(temporary.c_str()); };

  absl::Status written = WriteAll(file, contents, path);
  if (close(file) != 0) written.Update(SystemError(errno, "write", path));
  if (!written.ok()) return written;
  if (rename(temporary.c_str(), path.c_str()) != 0) return SystemError(errno, "write", path);
  std::move(remove_temporary).Cancel();
  return absl::OkStatus();
}

}  // namespace str::config
