#include "tf_plugin/budget.h"

#include <algorithm>
#include <cctype>
#include <fstream>
#include <limits>
#include <sstream>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "config/text_units.h"

namespace str {
namespace {

constexpr int64_t kUnknown = std::numeric_limits<int64_t>::max();
// A plain number this small was meant as a share or as something with a unit.
constexpr int64_t kTooFewBytes = 1 << 20;

std::string FirstLine(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

// "max" and files that are not there are no limit.
int64_t LimitIn(const std::string& path) {
  int64_t bytes = 0;
  return absl::SimpleAtoi(FirstLine(path), &bytes) ? bytes : kUnknown;
}

// The value of "Name:   123 kB" in a file of such lines.
int64_t KilobytesIn(const std::string& path, const std::string& name) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string key;
    int64_t kilobytes = 0;
    if (words >> key >> kilobytes && key == name) return kilobytes * 1024;
  }
  return kUnknown;
}

// The least limit of a control group and those around it.
int64_t GroupLimit(const std::string& folder, std::string group, const std::string& file) {
  int64_t least = kUnknown;
  while (true) {
    least = std::min(least, LimitIn(absl::StrCat(folder, group, "/", file)));
    const size_t slash = group.rfind('/');
    if (slash == std::string::npos) return least;
    group.resize(slash);
  }
}

// Lines of /proc/self/cgroup are "0::/group" in version 2 and "4:memory:/group" in version 1.
int64_t ControlGroupLimit(const std::string& root) {
  int64_t least = kUnknown;
  std::ifstream file(root + "/proc/self/cgroup");
  for (std::string line; std::getline(file, line);) {
    const std::vector<std::string> parts = absl::StrSplit(line, absl::MaxSplits(':', 2));
    if (parts.size() != 3) continue;
    const std::string group = parts[2] == "/" ? "" : parts[2];
    if (parts[1].empty()) {
      least = std::min(least, GroupLimit(root + "/sys/fs/cgroup", group, "memory.max"));
    } else if (parts[1] == "memory") {
      least = std::min(least, GroupLimit(root + "/sys/fs/cgroup/memory", group, "memory.limit_in_bytes"));
    }
  }
  return least;
}

int64_t KnownOr0(int64_t bytes) { return bytes == kUnknown ? 0 : bytes; }

}  // namespace

absl::StatusOr<Budget> ParseBudget(absl::string_view text) {
  Budget budget;
  if (absl::EndsWith(text, "%")) {
    double percent = 0;
    if (!absl::SimpleAtod(absl::StripSuffix(text, "%"), &percent) || !(percent > 0 && percent <= 100)) {
      return absl::InvalidArgumentError("a share must be above 0% and at most 100%");
    }
    budget.share = percent / 100;
    return budget;
  }
  const absl::StatusOr<int64_t> bytes = config::ParseBytes(text);
  if (!bytes.ok()) return bytes.status();
  const bool has_unit = !text.empty() && !std::isdigit(static_cast<unsigned char>(text.back()));
  if (*bytes < kTooFewBytes && !has_unit) {
    return absl::InvalidArgumentError(
        absl::StrCat(text, " bytes hold no training step; write ", text, "MiB, ", text, "GiB or ", text, "%"));
  }
  if (*bytes == 0) return absl::InvalidArgumentError("must be more than 0 bytes");
  budget.bytes = *bytes;
  return budget;
}

int64_t HostMemoryBytes(const std::string& root) {
  return KnownOr0(std::min(KilobytesIn(root + "/proc/meminfo", "MemTotal:"), ControlGroupLimit(root)));
}

int64_t ResidentBytes() { return KnownOr0(KilobytesIn("/proc/self/status", "VmRSS:")); }

int64_t PeakResidentBytes() { return KnownOr0(KilobytesIn("/proc/self/status", "VmHWM:")); }

}  // namespace str
