#include "tests/fake_gpu/settings.h"

#include <cstdio>
#include <cstdlib>
#include <map>

namespace str::fake_gpu {
namespace {

[[noreturn]] void Refuse(const char* name, const char* value, const char* reason) {
  std::fprintf(stderr, "fake_gpu: %s=%s: %s\n", name, value, reason);
  std::exit(1);
}

const char* Value(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr || *value == '\0' ? nullptr : value;
}

int64_t Number(const char* name, int64_t otherwise, int64_t least) {
  const char* const value = Value(name);
  if (value == nullptr) return otherwise;
  char* end = nullptr;
  const int64_t number = std::strtoll(value, &end, 10);
  if (*end != '\0' || number < least) Refuse(name, value, "must be a whole number that is not too small");
  return number;
}

int64_t Size(const char* name, int64_t otherwise) {
  const char* const value = Value(name);
  if (value == nullptr) return otherwise;
  const std::optional<int64_t> bytes = ParseSize(value);
  if (!bytes.has_value()) Refuse(name, value, "must be a size such as 512MiB or 24GB");
  return *bytes;
}

}  // namespace

std::optional<int64_t> ParseSize(const std::string& text) {
  static const auto& units = *new std::map<std::string, double>{
      {"", 1}, {"B", 1}, {"KB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}};
  char* end = nullptr;
  const double number = std::strtod(text.c_str(), &end);
  const auto unit = units.find(end);
  if (end == text.c_str() || unit == units.end() || !(number > 0)) return std::nullopt;
  return static_cast<int64_t>(number * unit->second);
}

Settings SettingsFromEnvironment() {
  Settings settings;
  settings.memory_bytes = Size("FAKE_GPU_MEMORY", settings.memory_bytes);
  settings.pinned_limit_bytes = Size("FAKE_GPU_PINNED_LIMIT", settings.pinned_limit_bytes);
  settings.devices = static_cast<int>(Number("FAKE_GPU_COUNT", settings.devices, 0));
  settings.seed = Number("FAKE_GPU_SEED", 1, 0);
  settings.delay_us = Number("FAKE_GPU_DELAY_US", 0, 0);
  settings.notice_us = Number("FAKE_GPU_NOTICE_US", settings.notice_us, 0);
  settings.notice_operations = Number("FAKE_GPU_NOTICE_OPERATIONS", settings.notice_operations, 0);
  settings.check = Number("FAKE_GPU_CHECK", 1, 0) != 0;
  settings.timer = Number("FAKE_GPU_TIMER", 1, 0) != 0;
  settings.launch_ns = Number("FAKE_GPU_LAUNCH_NS", settings.launch_ns, 0);
  if (const char* const clock = Value("FAKE_GPU_HOST_CLOCK"); clock != nullptr) {
    if (std::string(clock) == "thread") {
      settings.host_clock = HostClock::kPerThread;
    } else if (std::string(clock) != "shared") {
      Refuse("FAKE_GPU_HOST_CLOCK", clock, "must be shared or thread");
    }
  }
  if (const char* const file = Value("FAKE_GPU_DEVICE_FILE"); file != nullptr) settings.device_file = file;
  if (const char* const log = Value("FAKE_GPU_LOG"); log != nullptr) settings.log = log;
  return settings;
}

}  // namespace str::fake_gpu
