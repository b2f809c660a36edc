// Sizes and durations as people type and read them.
#ifndef STR_CONFIG_TEXT_UNITS_H_
#define STR_CONFIG_TEXT_UNITS_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace str::config {

// "6GiB", "22000MB", "1.5GiB", "4096". KB, MB, GB, TB are powers of 1000, KiB, MiB, GiB, TiB powers of 1024; upper and
// lower case are the same. A fraction of a byte is cut off. Anything else, a negative size included, is
// InvalidArgument.
absl::StatusOr<int64_t> ParseBytes(absl::string_view text);

// "30s", "10m", "1h30m", "250ms". Never negative or infinite.
absl::StatusOr<absl::Duration> ParseDurationText(absl::string_view text);

// "5.91 GiB (6345678901 bytes)"; below 1 KiB only "512 bytes".
std::string FormatBytes(int64_t bytes);

}  // namespace str::config

#endif  // STR_CONFIG_TEXT_UNITS_H_
