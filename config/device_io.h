// Reads and writes device descriptions (device.proto): protobuf text format with a comment header for people.
//
// What is read or written is also validated (device_validator.h).
#ifndef STR_CONFIG_DEVICE_IO_H_
#define STR_CONFIG_DEVICE_IO_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "config/device.pb.h"

namespace str::config {

// Errors name the file, and the line and column or the field.
absl::StatusOr<DeviceFile> ReadDevice(const std::string& path);

// `source_name` stands for the file in messages.
absl::StatusOr<DeviceFile> ParseDevice(absl::string_view text, absl::string_view source_name);

// Refuses a description that ReadDevice would refuse; then nothing is written.
absl::Status WriteDevice(const DeviceFile& device, const std::string& path);

std::string DeviceText(const DeviceFile& device);

}  // namespace str::config

#endif  // STR_CONFIG_DEVICE_IO_H_
