// Text as a JSON string.
#ifndef STR_CONFIG_JSON_TEXT_H_
#define STR_CONFIG_JSON_TEXT_H_

#include <string>

#include "absl/strings/string_view.h"

namespace str::config {

// In quotes; quotes, backslashes and control characters are escaped. What is no UTF-8 stays as it is.
std::string JsonString(absl::string_view text);

}  // namespace str::config

#endif  // STR_CONFIG_JSON_TEXT_H_
