#include "optimizer/tools/json.h"

#include <cmath>
#include <cstdlib>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"

namespace str::tools {

std::string JsonNumber(double value) {
  if (!std::isfinite(value)) return "null";
  std::string text;
  for (int digits = 9; digits <= 17; ++digits) {
    text = absl::StrFormat("%.*g", digits, value);
    if (std::strtod(text.c_str(), nullptr) == value) break;
  }
  return text;
}

void JsonObject::Add(absl::string_view name, int64_t value) { AddRaw(name, absl::StrCat(value)); }

void JsonObject::AddRaw(absl::string_view name, absl::string_view json) {
  fields_.push_back(absl::StrCat(config::JsonString(name), ": ", json));
}

std::string JsonObject::Text() const { return absl::StrCat("{", absl::StrJoin(fields_, ", "), "}"); }

std::string JsonObject::Pretty() const { return absl::StrCat("{\n  ", absl::StrJoin(fields_, ",\n  "), "\n}\n"); }

std::string JsonArray(const std::vector<std::string>& items) {
  return absl::StrCat("[", absl::StrJoin(items, ", "), "]");
}

}  // namespace str::tools
