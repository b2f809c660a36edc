#include "optimizer/tools/devices.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "config/device_io.h"

namespace str::tools {
namespace {

namespace fs = std::filesystem;

// What str calibrate writes.
constexpr absl::string_view kCalibrated = "this-cpu";

fs::path OwnDeviceFolder() {
  std::error_code error;
  if (const char* config = std::getenv("STR_CONFIG_DIR"); config != nullptr && *config != '\0') {
    return fs::path(config) / "devices";
  }
  const fs::path binary = fs::read_symlink("/proc/self/exe", error).parent_path();
  for (const fs::path& base : {binary, binary.parent_path()}) {
    if (fs::is_directory(base / "config" / "devices", error)) return base / "config" / "devices";
  }
  return fs::path();
}

void AddFiles(const fs::path& folder, std::vector<std::string>* files) {
  const size_t first = files->size();
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    if (entry.path().extension() == ".conf") files->push_back(entry.path().string());
  }
  std::sort(files->begin() + first, files->end());
}

}  // namespace

absl::StatusOr<std::string> UserDeviceFolder() {
  const char* home = std::getenv("HOME");
  if (home == nullptr || *home == '\0') {
    return absl::FailedPreconditionError("HOME is not set, so there is no ~/.str/devices; use --output=FILE");
  }
  return (fs::path(home) / ".str" / "devices").string();
}

std::vector<std::string> DeviceFiles() {
  std::vector<std::string> files;
  if (const absl::StatusOr<std::string> folder = UserDeviceFolder(); folder.ok()) AddFiles(*folder, &files);
  AddFiles(OwnDeviceFolder(), &files);
  return files;
}

absl::StatusOr<config::DeviceFile> FindDevice(const std::string& text) {
  std::error_code error;
  if (fs::is_regular_file(text, error)) return config::ReadDevice(text);
  std::vector<std::string> names, beginning;
  for (const std::string& file : DeviceFiles()) {
    names.push_back(fs::path(file).stem().string());
    if (absl::EqualsIgnoreCase(names.back(), text)) return config::ReadDevice(file);
    if (absl::StartsWithIgnoreCase(names.back(), text)) beginning.push_back(file);
  }
  if (beginning.size() == 1 && !text.empty()) return config::ReadDevice(beginning.front());
  if (!text.empty() && beginning.empty() && absl::StartsWithIgnoreCase(kCalibrated, text)) {
    return absl::NotFoundError(absl::StrCat("--device: ", kCalibrated,
                                            " is not there yet; run str calibrate first, which measures this machine"));
  }
  return absl::NotFoundError(absl::StrCat("--device: there is no file and no device \"", text,
                                          "\"; known devices: ", names.empty() ? "none" : absl::StrJoin(names, ", "),
                                          "; str calibrate adds this machine as ", kCalibrated));
}

}  // namespace str::tools
