// str devices
#include <cstdio>
#include <filesystem>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "config/device_io.h"
#include "config/text_units.h"
#include "optimizer/tools/command.h"
#include "optimizer/tools/devices.h"

namespace str::tools {
namespace {

// Where swapped tensors can go, as far as the description knows.
std::string Tiers(const config::DeviceFile& device) {
  std::string text;
  if (device.has_host()) absl::StrAppend(&text, "; host ", config::FormatBytes(device.host().memory_bytes()));
  if (device.has_disk()) {
    absl::StrAppendFormat(
        &text, "; disk %s, writes %.2f GB/s, reads %.2f GB/s", config::FormatBytes(device.disk().bytes()),
        device.disk().write_bytes_per_second().value() / 1e9, device.disk().read_bytes_per_second().value() / 1e9);
  }
  return text;
}

}  // namespace

void AddDevicesCommand(CLI::App* app, int* exit_code) {
  app->add_subcommand("devices", "Lists what --device takes by name")->callback([exit_code] {
    for (const std::string& file : DeviceFiles()) {
      const absl::StatusOr<config::DeviceFile> device = config::ReadDevice(file);
      if (!device.ok()) {
        *exit_code = Refuse(device.status());
        continue;
      }
      std::printf("%-16s %s, %s%s\n", std::filesystem::path(file).stem().c_str(), device->name().c_str(),
                  config::FormatBytes(device->memory_bytes()).c_str(), Tiers(*device).c_str());
    }
  });
}

}  // namespace str::tools
