// File: copy_rates.h
//
// How fast copies between a device and the host's memory are, as measured on this machine.
#ifndef STR_TF_PLUGIN_KERNELS_COPY_RATES_H_
#define STR_TF_PLUGIN_KERNELS_COPY_RATES_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace str::kernels {

// In bytes per second, above 0.
struct CopyRates {
  int64_t out_bytes_per_second = 0;
  int64_t in_bytes_per_second = 0;
};

// The rate of copies of `bytes` each that took these times. REQUIRES: at least one time.
int64_t MedianRate(int64_t bytes, std::vector<int64_t> times_ns);

using CopyProbe = std::function<absl::StatusOr<CopyRates>()>;
// How the rates of a device, "GPU:0", are measured. A CPU needs none: it copies through the engine (copy_engine.h).
// Thread-safe.
void SetCopyProbe(const std::string& device, CopyProbe probe);
// FAILED_PRECONDITION if the device is no CPU and has no probe.
absl::StatusOr<CopyRates> MeasureCopyRates(const std::string& device = "CPU:0");

}  // namespace str::kernels

#endif  // STR_TF_PLUGIN_KERNELS_COPY_RATES_H_
