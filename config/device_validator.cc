#include "config/device_validator.h"

#include <cmath>
#include <regex>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"

namespace str::config {
namespace {

constexpr int kFormatVersion = 1;

absl::Status Invalid(absl::string_view message) { return absl::InvalidArgumentError(message); }

absl::Status CheckFigure(absl::string_view name, const Figure& figure) {
  if (!std::isfinite(figure.value()) || figure.value() <= 0) {
    return Invalid(absl::StrCat(name, ".value is ", figure.value(), "; it must be positive and finite"));
  }
  if (absl::StripAsciiWhitespace(figure.source()).empty()) {
    return Invalid(absl::StrCat(name, " has no source; say which data sheet, paper or measurement it comes from"));
  }
  return absl::OkStatus();
}

absl::Status CheckEfficiency(const Efficiency& efficiency) {
  const std::string name = absl::StrCat("efficiency of \"", efficiency.op(), "\"");
  if (efficiency.op().empty()) return Invalid("an efficiency has no op; say which operations it is about");
  try {
    const std::regex pattern(efficiency.op());
  } catch (const std::regex_error& error) {
    return Invalid(absl::StrCat(name, ": op is no regular expression: ", error.what()));
  }
  if (!(efficiency.share() > 0 && efficiency.share() <= 1)) {
    return Invalid(absl::StrCat(name, ": share is ", efficiency.share(), "; it must be above 0 and at most 1"));
  }
  if (absl::StripAsciiWhitespace(efficiency.source()).empty()) {
    return Invalid(absl::StrCat(name, " has no source; say which paper or measurement it comes from"));
  }
  return absl::OkStatus();
}

absl::Status CheckDisk(const Disk& disk) {
  if (disk.bytes() <= 0) return Invalid(absl::StrCat("disk.bytes is ", disk.bytes(), "; it must be positive"));
  const std::pair<absl::string_view, const Figure&> figures[] = {
      {"disk.write_bytes_per_second", disk.write_bytes_per_second()},
      {"disk.read_bytes_per_second", disk.read_bytes_per_second()},
  };
  for (const auto& [name, figure] : figures) {
    if (absl::Status checked = CheckFigure(name, figure); !checked.ok()) return checked;
  }
  if (disk.latency_ns() < 0) return Invalid(absl::StrCat("disk.latency_ns is negative: ", disk.latency_ns()));
  return absl::OkStatus();
}

}  // namespace

absl::Status ValidateDevice(const DeviceFile& device) {
  if (device.format_version() != kFormatVersion) {
    return Invalid(
        absl::StrCat("format_version is ", device.format_version(), "; this version of STR reads ", kFormatVersion));
  }
  if (device.name().empty()) return Invalid("name is missing");
  if (device.memory_bytes() <= 0) {
    return Invalid(absl::StrCat("memory_bytes is ", device.memory_bytes(), "; it must be positive"));
  }
  const std::pair<absl::string_view, const Figure&> figures[] = {
      {"flops_per_second", device.flops_per_second()},
      {"memory_bytes_per_second", device.memory_bytes_per_second()},
      {"copy_out_bytes_per_second", device.copy_out_bytes_per_second()},
      {"copy_in_bytes_per_second", device.copy_in_bytes_per_second()},
  };
  for (const auto& [name, figure] : figures) {
    if (absl::Status checked = CheckFigure(name, figure); !checked.ok()) return checked;
  }
  if (device.copy_latency_ns() < 0) {
    return Invalid(absl::StrCat("copy_latency_ns is negative: ", device.copy_latency_ns()));
  }
  if (device.op_overhead_ns() < 0) {
    return Invalid(absl::StrCat("op_overhead_ns is negative: ", device.op_overhead_ns()));
  }
  for (const Efficiency& efficiency : device.efficiency()) {
    if (absl::Status checked = CheckEfficiency(efficiency); !checked.ok()) return checked;
  }
  if (device.has_host() && device.host().memory_bytes() <= 0) {
    return Invalid(absl::StrCat("host.memory_bytes is ", device.host().memory_bytes(), "; it must be positive"));
  }
  if (device.has_disk()) {
    if (absl::Status checked = CheckDisk(device.disk()); !checked.ok()) return checked;
  }
  return absl::OkStatus();
}

}  // namespace str::config
