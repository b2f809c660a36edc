// str calibrate
#include <cstdio>
#include <memory>
#include <string>

#include "config/device_io.h"
#include "config/spill_folder.h"
#include "config/text_units.h"
#include "optimizer/calibration/calibrate.h"
#include "optimizer/calibration/disk_probe.h"
#include "optimizer/tools/command.h"
#include "optimizer/tools/devices.h"
#include "optimizer/tools/output_file.h"

namespace str::tools {
namespace {

void PrintRate(const char* what, const config::Figure& figure, const char* unit) {
  std::printf("%-22s %.2f G%s\n", what, figure.value() / 1e9, unit);
}

absl::Status CalibrateHere(const std::string& output) {
  if (absl::Status status = CheckOutputFile("--output", output); !status.ok()) return status;
  std::string file = output;
  if (file.empty()) {
    absl::StatusOr<std::string> folder = UserDeviceFolder();
    if (!folder.ok()) return folder.status();
    file = *folder + "/this-cpu.conf";
  }
  const absl::StatusOr<std::string> spill_folder = config::SpillFolder();
  if (!spill_folder.ok()) return spill_folder.status();
  std::fputs("str: measuring copies, memory, computing and the disk; other work on this machine makes it look slower\n",
             stderr);
  config::DeviceFile device = optimizer::Calibrate({});
  optimizer::DiskProbeOptions probe;
  probe.folder = *spill_folder;
  const absl::StatusOr<config::Disk> disk = optimizer::MeasureDisk(probe);
  if (disk.ok()) {
    *device.mutable_disk() = *disk;
  } else {
    std::fprintf(stderr, "str: %s\n", std::string(disk.status().message()).c_str());
  }
  if (absl::Status status = config::WriteDevice(device, file); !status.ok()) return status;
  std::printf("%-22s %s\n", "device", device.name().c_str());
  std::printf("%-22s %s\n", "memory", config::FormatBytes(device.memory_bytes()).c_str());
  PrintRate("computing", device.flops_per_second(), "FLOP/s");
  PrintRate("memory", device.memory_bytes_per_second(), "B/s");
  PrintRate("copies out", device.copy_out_bytes_per_second(), "B/s");
  PrintRate("copies in", device.copy_in_bytes_per_second(), "B/s");
  std::printf("%-22s %.1f us\n", "latency of a copy", device.copy_latency_ns() / 1e3);
  if (device.has_disk()) {
    PrintRate("disk, writing", device.disk().write_bytes_per_second(), "B/s");
    PrintRate("disk, reading", device.disk().read_bytes_per_second(), "B/s");
    std::printf("%-22s %.1f us\n", "latency of the disk", device.disk().latency_ns() / 1e3);
    std::printf("%-22s %s\n", "folder on the disk", probe.folder.c_str());
    std::printf("%-22s %s\n", "free on the disk", config::FormatBytes(device.disk().bytes()).c_str());
  }
  std::printf("%-22s %s\n", "written to", file.c_str());
  return absl::OkStatus();
}

}  // namespace

void AddCalibrateCommand(CLI::App* app, int* exit_code) {
  auto output = std::make_shared<std::string>();
  CLI::App* command =
      app->add_subcommand("calibrate", "Measures this machine's CPU and disk and writes them as a device file");
  command->add_option("--output", *output, "Device file to write (default ~/.str/devices/this-cpu.conf)");
  command->footer("Example: str calibrate && str plan vgg16.graph --budget=60% --device=this-cpu");
  command->callback([output, exit_code] {
    if (absl::Status status = CalibrateHere(*output); !status.ok()) *exit_code = Refuse(status);
  });
}

}  // namespace str::tools
