// str devices
#include <cstdio>
#include <filesystem>

#include "config/device_io.h"
#include "config/text_units.h"
#include "optimizer/tools/command.h"
#include "optimizer/tools/devices.h"

namespace str::tools {

void AddDevicesCommand(CLI::App* app, int* exit_code) {
  app->add_subcommand("devices", "Lists what --device takes by name")->callback([exit_code] {
    for (const std::string& file : DeviceFiles()) {
      const absl::StatusOr<config::DeviceFile> device = config::ReadDevice(file);
      if (!device.ok()) {
        *exit_code = Refuse(device.status());
        continue;
      }
      std::printf("%-16s %s, %s\n", std::filesystem::path(file).stem().c_str(), device->name().c_str(),
                  config::FormatBytes(device->memory_bytes()).c_str());
    }
  });
}

}  // namespace str::tools
