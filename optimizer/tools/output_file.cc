#include "optimizer/tools/output_file.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "absl/strings/str_cat.h"

namespace str::tools {

namespace fs = std::filesystem;

absl::Status CheckOutputFile(absl::string_view option, const std::string& path) {
  if (path.empty() || path == "-") return absl::OkStatus();
  std::error_code error;
  if (fs::is_directory(path, error)) {
    return absl::InvalidArgumentError(absl::StrCat(option, ": \"", path, "\" is a folder; name a file in it"));
  }
  const fs::path parent = fs::path(path).parent_path();
  const std::string folder = parent.empty() ? "." : parent.string();
  if (!fs::is_directory(folder, error)) {
    return absl::NotFoundError(absl::StrCat(option, ": there is no folder \"", folder, "\" for ", path,
                                            "; make it first (mkdir -p ", folder, "), or name a file elsewhere"));
  }
  if (access(folder.c_str(), W_OK) != 0) {
    return absl::FailedPreconditionError(
        absl::StrCat(option, ": cannot write in folder \"", folder, "\": ", std::strerror(errno)));
  }
  return absl::OkStatus();
}

}  // namespace str::tools
