// Measures this machine's CPU as a device: what copies, memory and cores reach.
//
// Takes a few seconds and needs the machine for itself: other work makes the figures smaller.
#ifndef STR_OPTIMIZER_CALIBRATION_CALIBRATE_H_
#define STR_OPTIMIZER_CALIBRATION_CALIBRATE_H_

#include <cstdint>

#include "config/device.pb.h"

namespace str::optimizer {

struct CalibrationOptions {
  // Of one copy and one pass over memory; more than any cache holds.
  int64_t bytes = int64_t{64} << 20;
  // Of the matrices that are multiplied, a multiple of kProductSideStep.
  int matrix_side = 960;
  // Each figure is the median of this many.
  int repetitions = 9;
};

// A description that passes the validator; sources say how each figure was measured.
config::DeviceFile Calibrate(const CalibrationOptions& options);

}  // namespace str::optimizer

#endif  // STR_OPTIMIZER_CALIBRATION_CALIBRATE_H_
