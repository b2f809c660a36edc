#include "tf_plugin/kernels/spill_file.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <iterator>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "config/spill_folder.h"
#include "config/text_units.h"
#include "tf_plugin/settings.h"

namespace str::kernels {
namespace {

// Whole blocks, so that no two tensors share one.
constexpr int64_t kBlockBytes = 4096;

int64_t RoundUp(int64_t bytes) { return (bytes + kBlockBytes - 1) / kBlockBytes * kBlockBytes; }

}  // namespace

SpillFile& SpillFile::Get() {
  static SpillFile* const file = new SpillFile(GetSettings().spill_directory);
  return *file;
}

SpillFile::~SpillFile() {
  if (descriptor_ >= 0) close(descriptor_);
}

absl::Status SpillFile::Error(const char* what, int error) const {
  const bool full = error == ENOSPC || error == EDQUOT || error == EFBIG;
  const std::string text = absl::StrCat(
      "cannot ", what, " swapped tensors in \"", folder_, "\": ", std::strerror(error),
      full ? "; make room there, name another folder with STR_SPILL_DIR, or plan with a smaller --disk-limit"
           : "; name another folder with STR_SPILL_DIR, or plan without --disk-limit");
  return full ? absl::ResourceExhaustedError(text) : absl::FailedPreconditionError(text);
}

absl::Status SpillFile::OpenLocked() {
  if (descriptor_ >= 0) return absl::OkStatus();
  const int descriptor = config::OpenNamelessFile(folder_);
  if (descriptor < 0) return Error("keep", errno);
  const std::optional<config::FileSystem> system = config::FindFileSystem(descriptor);
  in_memory_ = system.has_value() && system->in_memory;
  descriptor_ = descriptor;
  return absl::OkStatus();
}

absl::Status SpillFile::Open(int64_t bytes) {
  absl::MutexLock lock(&mutex_);
  if (absl::Status status = OpenLocked(); !status.ok()) return status;
  const std::optional<config::FileSystem> system = config::FindFileSystem(descriptor_);
  if (!system.has_value()) return absl::OkStatus();  // writing will tell
  if (bytes - file_bytes_ <= system->free_bytes) return absl::OkStatus();
  return absl::ResourceExhaustedError(
      absl::StrCat("\"", folder_, "\" has ", config::FormatBytes(system->free_bytes),
                   " free; make room there, or name another folder with STR_SPILL_DIR"));
}

absl::StatusOr<SpillRange> SpillFile::Take(int64_t bytes) {
  absl::MutexLock lock(&mutex_);
  if (absl::Status status = OpenLocked(); !status.ok()) return status;
  const int64_t rounded = RoundUp(bytes);
  bytes_in_use_ += rounded;
  if (rounded == 0) return SpillRange(this, 0, 0);
  // The smallest gap that is large enough.
  auto best = free_.end();
  for (auto gap = free_.begin(); gap != free_.end(); ++gap) {
    if (gap->second >= rounded && (best == free_.end() || gap->second < best->second)) best = gap;
  }
  int64_t offset = file_bytes_;
  if (best == free_.end()) {
    file_bytes_ += rounded;
  } else {
    offset = best->first;
    const int64_t left = best->second - rounded;
    free_.erase(best);
    if (left > 0) free_[offset + rounded] = left;
  }
  return SpillRange(this, offset, bytes);
}

void SpillFile::GiveBack(int64_t offset, int64_t bytes) {
  const int64_t rounded = RoundUp(bytes);
  if (rounded == 0) return;
  absl::MutexLock lock(&mutex_);
  bytes_in_use_ -= rounded;
  auto gap = free_.emplace(offset, rounded).first;
  if (const auto next = std::next(gap); next != free_.end() && gap->first + gap->second == next->first) {
    gap->second += next->second;
    free_.erase(next);
  }
  if (gap == free_.begin()) return;
  if (const auto previous = std::prev(gap); previous->first + previous->second == gap->first) {
    previous->second += gap->second;
    free_.erase(gap);
  }
}

bool SpillFile::in_memory() const {
  absl::MutexLock lock(&mutex_);
  return in_memory_;
}

int64_t SpillFile::bytes_in_use() const {
  absl::MutexLock lock(&mutex_);
  return bytes_in_use_;
}

int64_t SpillFile::file_bytes() const {
  absl::MutexLock lock(&mutex_);
  return file_bytes_;
}

SpillRange::~SpillRange() {
  if (file_ != nullptr) file_->GiveBack(offset_, bytes_);
}

absl::Status SpillRange::Write(const char* data) const {
  for (int64_t done = 0; done < bytes_;) {
    const ssize_t written = pwrite(file_->descriptor_, data + done, bytes_ - done, offset_ + done);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return file_->Error("write", written < 0 ? errno : ENOSPC);
    done += written;
  }
  return absl::OkStatus();
}

absl::Status SpillRange::Read(char* data) const {
  for (int64_t done = 0; done < bytes_;) {
    const ssize_t read = pread(file_->descriptor_, data + done, bytes_ - done, offset_ + done);
    if (read < 0 && errno == EINTR) continue;
    // The range was written to its end: a file that ends before was cut by somebody else.
    if (read <= 0) return file_->Error("read", read < 0 ? errno : EIO);
    done += read;
  }
  return absl::OkStatus();
}

}  // namespace str::kernels
