// The form of a graph's fingerprint. How it is computed is capture's business.
#ifndef STR_CONFIG_FINGERPRINT_H_
#define STR_CONFIG_FINGERPRINT_H_

#include "absl/strings/string_view.h"

namespace str::config {

// 16 hex digits.
bool IsFingerprint(absl::string_view text);

}  // namespace str::config

#endif  // STR_CONFIG_FINGERPRINT_H_
