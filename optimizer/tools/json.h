// JSON objects, written field by field in a fixed order.
#ifndef STR_OPTIMIZER_TOOLS_JSON_H_
#define STR_OPTIMIZER_TOOLS_JSON_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "config/json_text.h"

namespace str::tools {

// Shortest digits that read back the same; "null" where it is no number.
std::string JsonNumber(double value);

class JsonObject {
 public:
  void Add(absl::string_view name, absl::string_view text) { AddRaw(name, config::JsonString(text)); }
  void Add(absl::string_view name, const char* text) { AddRaw(name, config::JsonString(text)); }
  void Add(absl::string_view name, int64_t value);
  void Add(absl::string_view name, int value) { Add(name, static_cast<int64_t>(value)); }
  void Add(absl::string_view name, double value) { AddRaw(name, JsonNumber(value)); }
  void AddNull(absl::string_view name) { AddRaw(name, "null"); }
  // A field that does not apply is null.
  template <typename T>
  void Add(absl::string_view name, const std::optional<T>& value) {
    value.has_value() ? Add(name, *value) : AddNull(name);
  }
  // `json` is written as it is.
  void AddRaw(absl::string_view name, absl::string_view json);

  // On one line.
  std::string Text() const;
  // One field a line, with a newline at the end.
  std::string Pretty() const;

 private:
  std::vector<std::string> fields_;
};

std::string JsonArray(const std::vector<std::string>& items);

}  // namespace str::tools

#endif  // STR_OPTIMIZER_TOOLS_JSON_H_
