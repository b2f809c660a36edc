#include "config/fingerprint.h"

#include <algorithm>

#include "absl/strings/ascii.h"

namespace str::config {

bool IsFingerprint(absl::string_view text) {
  return text.size() == 16 && std::all_of(text.begin(), text.end(), [](char c) { return absl::ascii_isxdigit(c); });
}

}  // namespace str::config
