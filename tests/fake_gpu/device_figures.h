// A device file's figures (docs/device_format.md), as far as the virtual clock needs them.
//
// Read by a small reader of its own: the emulated GPU is in processes with any TensorFlow or none, and must not bring a
// second protobuf or a second copy of the file's message. The files are checked elsewhere (./str check).
#ifndef STR_TESTS_FAKE_GPU_DEVICE_FIGURES_H_
#define STR_TESTS_FAKE_GPU_DEVICE_FIGURES_H_

#include <cstdint>
#include <optional>
#include <regex>
#include <string>
#include <utility>
#include <vector>

namespace str::fake_gpu {

struct DeviceFigures {
  double flops_per_second = 0;
  double memory_bytes_per_second = 0;
  double copy_out_bytes_per_second = 0;
  double copy_in_bytes_per_second = 0;
  int64_t copy_latency_ns = 0;
  int64_t op_overhead_ns = 0;
  // Which ops reach which share of flops_per_second; the first that matches counts.
  std::vector<std::pair<std::regex, double>> efficiencies;

  // The time of a kernel by its work, as planners compute it for graphs that were not measured.
  int64_t KernelNs(const std::string& op, int64_t flops, int64_t moved_bytes) const;
  int64_t CopyOutNs(int64_t bytes) const;
  int64_t CopyInNs(int64_t bytes) const;
  // Within the device: each byte is read and written.
  int64_t CopyOnDeviceNs(int64_t bytes) const;
};

// Nothing, and in `error` why, if the text is no device description.
std::optional<DeviceFigures> ParseDeviceFigures(const std::string& text, std::string* error);
std::optional<DeviceFigures> ReadDeviceFigures(const std::string& path, std::string* error);

}  // namespace str::fake_gpu

#endif  // STR_TESTS_FAKE_GPU_DEVICE_FIGURES_H_
