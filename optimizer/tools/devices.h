// Device descriptions: those that come with STR and the user's own.
#ifndef STR_OPTIMIZER_TOOLS_DEVICES_H_
#define STR_OPTIMIZER_TOOLS_DEVICES_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "config/device.pb.h"

namespace str::tools {

// ~/.str/devices, which need not exist. FailedPrecondition without a home.
absl::StatusOr<std::string> UserDeviceFolder();

// The *.conf files of the user's folder, then of the devices folder of $STR_CONFIG_DIR, else of the config folder
// beside or above the binary. Each folder sorted.
std::vector<std::string> DeviceFiles();

// `text` is a file, or the name of one of DeviceFiles() without its ending, or how exactly one of them begins; upper
// and lower case are the same in names. Errors say what there is.
absl::StatusOr<config::DeviceFile> FindDevice(const std::string& text);

}  // namespace str::tools

#endif  // STR_OPTIMIZER_TOOLS_DEVICES_H_
