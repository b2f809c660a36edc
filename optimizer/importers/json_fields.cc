#include "optimizer/importers/json_fields.h"

#include <cmath>

#include "absl/strings/str_cat.h"
#include "google/protobuf/json/json.h"

namespace str::optimizer {
namespace {

using google::protobuf::ListValue;
using google::protobuf::Struct;
using google::protobuf::Value;

constexpr double kLargestWhole = 9007199254740992.0;  // 2^53

}  // namespace

absl::StatusOr<Struct> ParseJson(absl::string_view text) {
  Struct object;
  const absl::Status status = google::protobuf::json::JsonStringToMessage(text, &object);
  if (!status.ok()) return absl::InvalidArgumentError(absl::StrCat("no JSON object: ", status.message()));
  return object;
}

absl::StatusOr<int64_t> WholeNumber(const Value& value, absl::string_view what) {
  const double number = value.kind_case() == Value::kNumberValue ? value.number_value() : -1;
  if (!(number >= 0 && number <= kLargestWhole) || number != std::floor(number)) {
    return absl::InvalidArgumentError(absl::StrCat(what, " is not a whole number from 0 to 2^53"));
  }
  return static_cast<int64_t>(number);
}

absl::StatusOr<JsonFields> JsonFields::FromValue(const Value& value, std::string who) {
  if (value.kind_case() != Value::kStructValue) return absl::InvalidArgumentError(absl::StrCat(who, ": not an object"));
  return JsonFields(&value.struct_value(), std::move(who));
}

absl::Status JsonFields::Error(absl::string_view what) const {
  return absl::InvalidArgumentError(absl::StrCat(who_, ": ", what));
}

absl::StatusOr<const Value*> JsonFields::Find(absl::string_view name) const {
  const auto found = object_.fields().find(std::string(name));
  if (found == object_.fields().end()) return Error(absl::StrCat("\"", name, "\" is missing"));
  return &found->second;
}

absl::StatusOr<double> JsonFields::Amount(absl::string_view name) const {
  const absl::StatusOr<const Value*> value = Find(name);
  if (!value.ok()) return value.status();
  const double number = (*value)->kind_case() == Value::kNumberValue ? (*value)->number_value() : -1;
  if (!std::isfinite(number) || number < 0) return Error(absl::StrCat("\"", name, "\" is not a number from 0"));
  return number;
}

absl::StatusOr<int64_t> JsonFields::Whole(absl::string_view name) const {
  const absl::StatusOr<const Value*> value = Find(name);
  if (!value.ok()) return value.status();
  const absl::StatusOr<int64_t> number = WholeNumber(**value, absl::StrCat("\"", name, "\""));
  if (!number.ok()) return Error(number.status().message());
  return number;
}

absl::StatusOr<std::string> JsonFields::Text(absl::string_view name) const {
  const absl::StatusOr<const Value*> value = Find(name);
  if (!value.ok()) return value.status();
  if ((*value)->kind_case() == Value::kStringValue) return (*value)->string_value();
  const absl::StatusOr<int64_t> number = WholeNumber(**value, "");
  if (!number.ok()) return Error(absl::StrCat("\"", name, "\" is neither a text nor a whole number"));
  return absl::StrCat(*number);
}

absl::StatusOr<bool> JsonFields::Flag(absl::string_view name) const {
  const absl::StatusOr<const Value*> value = Find(name);
  if (!value.ok()) return value.status();
  if ((*value)->kind_case() != Value::kBoolValue) return Error(absl::StrCat("\"", name, "\" is not true or false"));
  return (*value)->bool_value();
}

absl::StatusOr<const ListValue*> JsonFields::List(absl::string_view name) const {
  const absl::StatusOr<const Value*> value = Find(name);
  if (!value.ok()) return value.status();
  if ((*value)->kind_case() != Value::kListValue) return Error(absl::StrCat("\"", name, "\" is not a list"));
  return &(*value)->list_value();
}

absl::StatusOr<JsonFields> JsonFields::Object(absl::string_view name) const {
  const absl::StatusOr<const Value*> value = Find(name);
  if (!value.ok()) return value.status();
  return FromValue(**value, absl::StrCat("\"", name, "\""));
}

}  // namespace str::optimizer
