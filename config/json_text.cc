#include "config/json_text.h"

#include "absl/strings/str_format.h"

namespace str::config {

std::string JsonString(absl::string_view text) {
  std::string json = "\"";
  for (const char c : text) {
    switch (c) {
      case '"':
        json += "\\\"";
        break;
      case '\\':
        json += "\\\\";
        break;
      case '\n':
        json += "\\n";
        break;
      case '\t':
        json += "\\t";
        break;
      default:
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
          absl::StrAppendFormat(&json, "\\u%04x", static_cast<unsigned char>(c));
        } else {
          json += c;
        }
    }
  }
  return json + "\"";
}

}  // namespace str::config
