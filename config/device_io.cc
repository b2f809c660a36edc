#include "config/device_io.h"

#include "absl/strings/str_cat.h"
#include "config/atomic_file.h"
#include "config/device_validator.h"
#include "config/text_proto.h"
#include "config/text_units.h"

namespace str::config {

absl::StatusOr<DeviceFile> ParseDevice(absl::string_view text, absl::string_view source_name) {
  DeviceFile device;
  if (absl::Status parsed = ParseTextProto(text, FileKind::kDevice, source_name, &device); !parsed.ok()) return parsed;
  if (absl::Status valid = ValidateDevice(device); !valid.ok()) {
    return absl::InvalidArgumentError(absl::StrCat(source_name, ": ", valid.message()));
  }
  return device;
}

absl::StatusOr<DeviceFile> ReadDevice(const std::string& path) {
  const absl::StatusOr<std::string> text = ReadFile(path);
  if (!text.ok()) return text.status();
  return ParseDevice(*text, path);
}

absl::Status WriteDevice(const DeviceFile& device, const std::string& path) {
  if (absl::Status valid = ValidateDevice(device); !valid.ok()) {
    return absl::InvalidArgumentError(absl::StrCat("device not written to ", path, ": ", valid.message()));
  }
  return WriteFileAtomically(path, DeviceText(device));
}

std::string DeviceText(const DeviceFile& device) {
  return absl::StrCat(
      CommentLines(absl::StrCat("STR device: the figures that turn work into time.\n", device.name(), ", ",
                                FormatBytes(device.memory_bytes()), "\ndocs/device_format.md explains every field.")),
      PrintTextProto(device));
}

}  // namespace str::config
