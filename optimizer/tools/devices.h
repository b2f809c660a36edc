// Device descriptions that come with STR.
#ifndef STR_OPTIMIZER_TOOLS_DEVICES_H_
#define STR_OPTIMIZER_TOOLS_DEVICES_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "config/device.pb.h"

namespace str::tools {

// The *.conf files of the devices folder of $STR_CONFIG_DIR, else of the config folder beside or above the binary.
// Sorted; empty if there is no such folder.
std::vector<std::string> DeviceFiles();

// `text` is a file, or the name of one of DeviceFiles() without its ending. Errors say what there is.
absl::StatusOr<config::DeviceFile> FindDevice(const std::string& text);

}  // namespace str::tools

#endif  // STR_OPTIMIZER_TOOLS_DEVICES_H_
