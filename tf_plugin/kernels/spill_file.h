// File: spill_file.h
//
// The disk tier: one file for all swapped tensors that the host has no room for. It has no name from the moment on that
// it is open, so that nothing is left behind however the process ends. Ranges that are given back are used again; the
// file never shrinks before it is closed. The operating system may keep parts of it in memory that nobody else wants.
// Thread-safe.
#ifndef STR_TF_PLUGIN_KERNELS_SPILL_FILE_H_
#define STR_TF_PLUGIN_KERNELS_SPILL_FILE_H_

#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"

namespace str::kernels {

class SpillFile;

// Gives its range of the file back when it goes.
class SpillRange {
 public:
  SpillRange(SpillFile* file, int64_t offset, int64_t bytes) : file_(file), offset_(offset), bytes_(bytes) {}
  ~SpillRange();
  SpillRange(SpillRange&& other) noexcept : file_(other.file_), offset_(other.offset_), bytes_(other.bytes_) {
    other.file_ = nullptr;
  }
  SpillRange& operator=(SpillRange&&) = delete;

  int64_t offset() const { return offset_; }

  // All of the range. RESOURCE_EXHAUSTED if the disk is full, FAILED_PRECONDITION for other errors; both name the
  // folder and say what to do.
  absl::Status Write(const char* data) const;
  absl::Status Read(char* data) const;

 private:
  friend class SpillFile;
  SpillFile* file_;
  int64_t offset_;
  int64_t bytes_;
};

class SpillFile {
 public:
  // The process's file, in STR_SPILL_DIR. Never destroyed, as copies may be under way while the process exits.
  static SpillFile& Get();

  // Nothing is opened before the first call of Open or Take. A folder that is missing is made.
  explicit SpillFile(std::string folder) : folder_(std::move(folder)) {}
  ~SpillFile();

  // FAILED_PRECONDITION naming the folder if the file cannot be made there; RESOURCE_EXHAUSTED if fewer than `bytes`
  // are free there beyond what the file has.
  absl::Status Open(int64_t bytes);

  absl::StatusOr<SpillRange> Take(int64_t bytes);

  const std::string& folder() const { return folder_; }
  // Whether the folder is memory (tmpfs), so that nothing is gained by writing there. Not known before Open.
  bool in_memory() const;
  int64_t bytes_in_use() const;
  // Where the last range ever taken ends.
  int64_t file_bytes() const;

 private:
  friend class SpillRange;
  absl::Status OpenLocked() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void GiveBack(int64_t offset, int64_t bytes);
  absl::Status Error(const char* what, int error) const;

  const std::string folder_;
  mutable absl::Mutex mutex_;
  int descriptor_ = -1;  // set once, before any range exists
  bool in_memory_ ABSL_GUARDED_BY(mutex_) = false;
  // Offset -> bytes; neighbours are merged.
  std::map<int64_t, int64_t> free_ ABSL_GUARDED_BY(mutex_);
  int64_t bytes_in_use_ ABSL_GUARDED_BY(mutex_) = 0;
  int64_t file_bytes_ ABSL_GUARDED_BY(mutex_) = 0;
};

}  // namespace str::kernels

#endif  // STR_TF_PLUGIN_KERNELS_SPILL_FILE_H_
