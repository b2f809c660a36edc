#include "optimizer/testing/shared_data.h"

#include <filesystem>
#include <system_error>

namespace str::optimizer {

std::string SharedData(absl::string_view name) {
  // A test sees its sources through links; this one leads to the project's root.
  std::error_code error;
  const std::filesystem::path here = std::filesystem::canonical("optimizer/testing/shared_data.h", error);
  if (error) return "";
  const std::filesystem::path root = here.parent_path().parent_path().parent_path();
  const std::filesystem::path file = root.parent_path() / "shared" / "data" / std::string(name);
  return std::filesystem::exists(file, error) ? file.string() : "";
}

}  // namespace str::optimizer
