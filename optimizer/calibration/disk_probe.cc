#include "optimizer/calibration/disk_probe.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <functional>
#include <optional>
#include <random>
#include <vector>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "config/spill_folder.h"

namespace str::optimizer {
namespace {

constexpr int64_t kSmallReadBytes = 4096;
constexpr int kSmallReads = 21;

absl::Status Failed(const std::string& folder, absl::string_view what) {
  return absl::FailedPreconditionError(
      absl::StrCat("the disk was not measured: ", folder, ": ", what, "; name another folder with STR_SPILL_DIR"));
}

absl::Status FailedCall(const std::string& folder) { return Failed(folder, std::strerror(errno)); }

using Transfer = std::function<ssize_t(int64_t at, int64_t bytes)>;

// In as many calls as it takes.
bool Move(const Transfer& transfer, int64_t bytes) {
  for (int64_t done = 0; done < bytes;) {
    const ssize_t moved = transfer(done, bytes - done);
    if (moved < 0 && errno == EINTR) continue;
    if (moved == 0) errno = EIO;
    if (moved <= 0) return false;
    done += moved;
  }
  return true;
}

double Median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + values.size() / 2, values.end());
  return values[values.size() / 2];
}

double SecondsSince(absl::Time start) { return std::max(1e-9, absl::ToDoubleSeconds(absl::Now() - start)); }

}  // namespace

absl::StatusOr<config::Disk> MeasureDisk(const DiskProbeOptions& options) {
  const int file = config::OpenNamelessFile(options.folder);
  if (file < 0) return FailedCall(options.folder);
  const absl::Cleanup close_file = [file] { close(file); };
  const std::optional<config::FileSystem> system = config::FindFileSystem(file);
  if (!system.has_value()) return FailedCall(options.folder);
  if (system->in_memory) return Failed(options.folder, "is memory (tmpfs), not a disk");
  if (system->free_bytes < 2 * options.bytes) {
    return Failed(options.folder, absl::StrCat("only ", system->free_bytes, " bytes free"));
  }

  // Disks that compress would make less of anything regular.
  std::vector<uint64_t> data(options.bytes / sizeof(uint64_t));
  std::mt19937_64 random(1);
  for (uint64_t& word : data) word = random();
  char* const bytes = reinterpret_cast<char*>(data.data());
  const Transfer write = [&](int64_t at, int64_t count) { return pwrite(file, bytes + at, count, at); };
  const Transfer read = [&](int64_t at, int64_t count) { return pread(file, bytes + at, count, at); };

  std::vector<double> writes, reads, small_reads;
  for (int i = 0; i < options.repetitions; ++i) {
    absl::Time start = absl::Now();
    if (!Move(write, options.bytes) || fdatasync(file) != 0) return FailedCall(options.folder);
    writes.push_back(SecondsSince(start));
    posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED);
    start = absl::Now();
    if (!Move(read, options.bytes)) return FailedCall(options.folder);
    reads.push_back(SecondsSince(start));
  }
  for (int i = 0; i < kSmallReads; ++i) {
    posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED);
    const int64_t at = i * (options.bytes / kSmallReads) / kSmallReadBytes * kSmallReadBytes;
    const absl::Time start = absl::Now();
    if (pread(file, bytes, kSmallReadBytes, at) != kSmallReadBytes) return FailedCall(options.folder);
    small_reads.push_back(SecondsSince(start));
  }

  config::Disk disk;
  disk.set_bytes(system->free_bytes);
  const std::string source = absl::StrCat("measured by str calibrate: median of ", options.repetitions, " files of ",
                                          options.bytes >> 20, " MiB, ");
  disk.mutable_write_bytes_per_second()->set_value(options.bytes / Median(writes));
  disk.mutable_write_bytes_per_second()->set_source(source + "synced");
  disk.mutable_read_bytes_per_second()->set_value(options.bytes / Median(reads));
  disk.mutable_read_bytes_per_second()->set_source(source + "dropped from the cache before");
  disk.set_latency_ns(static_cast<int64_t>(Median(small_reads) * 1e9));
  return disk;
}

}  // namespace str::optimizer
