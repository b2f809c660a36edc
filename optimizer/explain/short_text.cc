#include "optimizer/explain/short_text.h"

#include <cmath>

#include "absl/strings/str_format.h"

namespace str::optimizer {

std::string ShortBytes(int64_t bytes) {
  if (bytes < 1024) return absl::StrFormat("%d B", bytes);
  double value = static_cast<double>(bytes) / 1024;
  for (const char* unit : {"KiB", "MiB", "GiB"}) {
    if (value < 1000) return absl::StrFormat("%.1f %s", value, unit);
    value /= 1024;
  }
  return absl::StrFormat("%.1f TiB", value);
}

std::string ShortSeconds(double seconds) {
  const double size = std::abs(seconds);
  if (size < 5e-8) return "0 us";
  if (size < 1e-3) return absl::StrFormat("%.1f us", seconds * 1e6);
  if (size < 1) return absl::StrFormat("%.1f ms", seconds * 1e3);
  return absl::StrFormat("%.2f s", seconds);
}

}  // namespace str::optimizer
