#include "tf_plugin/settings.h"

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "config/spill_folder.h"
#include "config/text_units.h"

namespace str {
namespace {

std::string Environment(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

[[noreturn]] void Refuse(absl::string_view message) {
  std::fprintf(stderr, "STR-2001 %s\n", std::string(message).c_str());
  std::exit(1);
}

[[noreturn]] void Refuse(const char* name, const std::string& value, const std::string& reason) {
  Refuse(absl::StrCat(name, "=", value, ": ", reason));
}

bool Switch(const char* name, bool by_default = false) {
  const std::string value = Environment(name);
  if (value.empty()) return by_default;
  if (value == "0") return false;
  if (value == "1") return true;
  Refuse(name, value, "must be 0 or 1");
}

std::optional<int64_t> Size(const char* name) {
  const std::string text = Environment(name);
  if (text.empty()) return std::nullopt;
  const absl::StatusOr<int64_t> bytes = config::ParseBytes(text);
  if (!bytes.ok()) Refuse(name, text, std::string(bytes.status().message()));
  return *bytes;
}

std::string SpillDirectory() {
  const absl::StatusOr<std::string> folder = config::SpillFolder();
  if (!folder.ok()) Refuse(folder.status().message());
  return *folder;
}

// A missing file or folder in the home directory means that no plan is wanted.
std::string HomeStrategies() {
  const std::string home = Environment("HOME");
  if (home.empty()) return "";
  const std::string folder = absl::StrCat(home, "/.str");
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    if (entry.path().extension() == ".conf") return folder;
  }
  return "";
}

Settings ReadSettings() {
  Settings settings;
  settings.disabled = Switch("STR_DISABLE");
  if (settings.disabled) return settings;
  settings.strict = Switch("STR_STRICT");
  settings.verify = Switch("STR_VERIFY", /*by_default=*/true);
  if (const std::string text = Environment("STR_VERBOSE"); !text.empty()) {
    if (!absl::SimpleAtoi(text, &settings.verbose) || settings.verbose < 0 || settings.verbose > 3) {
      Refuse("STR_VERBOSE", text, "must be 0, 1, 2 or 3");
    }
  }
  settings.capture_directory = Environment("STR_CAPTURE");
  settings.capture_only = Switch("STR_CAPTURE_ONLY");
  if (settings.capture_only && settings.capture_directory.empty()) {
    Refuse("STR_CAPTURE_ONLY", "1", "needs STR_CAPTURE=DIR to say where to write");
  }
  if (const std::string xla = Environment("STR_XLA"); !xla.empty()) {
    if (xla != "keep" && xla != "off") Refuse("STR_XLA", xla, "must be keep or off");
    settings.keep_xla = xla == "keep";
  }
  if (const std::string text = Environment("STR_BUDGET"); !text.empty()) {
    const absl::StatusOr<Budget> budget = ParseBudget(text);
    if (!budget.ok()) Refuse("STR_BUDGET", text, std::string(budget.status().message()));
    settings.budget = *budget;
  }
  settings.memory_limit_bytes = Size("STR_MEMORY_LIMIT");
  if (settings.memory_limit_bytes == 0) {
    Refuse("STR_MEMORY_LIMIT", Environment("STR_MEMORY_LIMIT"), "must be more than 0 bytes");
  }
  settings.host_limit_bytes = Size("STR_HOST_LIMIT");
  settings.disk_limit_bytes = Size("STR_DISK_LIMIT");
  settings.spill_directory = SpillDirectory();
  settings.strategy_path = Environment("STR_STRATEGY_FILE");
  settings.strategy_path_was_set = !settings.strategy_path.empty();
  if (settings.budget.has_value() && settings.strategy_path_was_set) {
    Refuse("STR_BUDGET", Environment("STR_BUDGET"), "plans by itself; leave out either it or STR_STRATEGY_FILE");
  }
  if (settings.budget.has_value() && !settings.capture_directory.empty()) {
    Refuse("STR_BUDGET", Environment("STR_BUDGET"), "captures by itself; leave out either it or STR_CAPTURE");
  }
  if (!settings.strategy_path_was_set && !settings.budget.has_value()) settings.strategy_path = HomeStrategies();
  return settings;
}

}  // namespace

const Settings& GetSettings() {
  static const Settings* const settings = new Settings(ReadSettings());
  return *settings;
}

}  // namespace str
