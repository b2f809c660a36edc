// Measures what a disk reaches, past every cache: the lowest tier of swapped tensors.
//
// Writes a file without a name, which is gone when the measurement ends, however it ends. Takes seconds on a slow disk.
#ifndef STR_OPTIMIZER_CALIBRATION_DISK_PROBE_H_
#define STR_OPTIMIZER_CALIBRATION_DISK_PROBE_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "config/device.pb.h"

namespace str::optimizer {

struct DiskProbeOptions {
  // Where the file lies; made if it is missing.
  std::string folder;
  int64_t bytes = int64_t{128} << 20;
  // Each figure is the median of this many.
  int repetitions = 3;
};

// FailedPrecondition, naming the folder and what to do, if it cannot be made or written, has no room, or is memory
// itself.
absl::StatusOr<config::Disk> MeasureDisk(const DiskProbeOptions& options);

}  // namespace str::optimizer

#endif  // STR_OPTIMIZER_CALIBRATION_DISK_PROBE_H_
