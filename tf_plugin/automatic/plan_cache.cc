#include "tf_plugin/automatic/plan_cache.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "config/digest.h"

namespace str::automatic {
namespace {

std::string Environment(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// Names begin with a fingerprint.
bool IsOurs(const std::string& name) {
  constexpr size_t kDigits = 16;
  return name.size() > kDigits && name[kDigits] == '-' &&
         std::all_of(name.begin(), name.begin() + kDigits, [](char c) { return absl::ascii_isxdigit(c); });
}

}  // namespace

std::string CacheDirectory() {
  if (std::string named = Environment("STR_CACHE_DIR"); !named.empty()) return named;
  if (const std::string home = Environment("HOME"); !home.empty()) return absl::StrCat(home, "/.str/cache");
  std::error_code error;
  return absl::StrCat(std::filesystem::temp_directory_path(error).string(), "/str-cache-", getuid());
}

std::string GraphFileName(const PlanKey& key) {
  return absl::StrCat(key.fingerprint, "-", absl::StrReplaceAll(key.device, {{":", "_"}}), ".graph");
}

std::string StrategyFileName(const PlanKey& key) {
  config::Digest options;
  options.Add(key.options);
  return absl::StrCat(key.fingerprint, "-", absl::StrReplaceAll(key.device, {{":", "_"}}), "-", key.budget_bytes, "-",
                      options.Hex(), ".conf");
}

void Prune(const std::string& directory, int most_files) {
  namespace fs = std::filesystem;
  std::vector<std::pair<fs::file_time_type, fs::path>> files;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(directory, error)) {
    const std::string extension = entry.path().extension().string();
    if ((extension != ".graph" && extension != ".conf") || !IsOurs(entry.path().filename().string())) continue;
    const fs::file_time_type time = fs::last_write_time(entry.path(), error);
    if (!error) files.emplace_back(time, entry.path());
  }
  if (static_cast<int>(files.size()) <= most_files) return;
  std::sort(files.begin(), files.end());
  for (size_t i = 0; i + most_files < files.size(); ++i) fs::remove(files[i].second, error);
}

void Touch(const std::string& path) {
  std::error_code error;
  std::filesystem::last_write_time(path, std::filesystem::file_time_type::clock::now(), error);
}

}  // namespace str::automatic
