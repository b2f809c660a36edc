// Reads JSON with errors for people: where the syntax is wrong, or which object lacks which field.
//
// Numbers are doubles, so whole numbers above 2^53 are refused where a whole number is asked for.
#ifndef STR_OPTIMIZER_IMPORTERS_JSON_FIELDS_H_
#define STR_OPTIMIZER_IMPORTERS_JSON_FIELDS_H_

#include <cstdint>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "google/protobuf/struct.pb.h"

namespace str::optimizer {

// The text must be one JSON object. The error has line and column.
absl::StatusOr<google::protobuf::Struct> ParseJson(absl::string_view text);

// One JSON object and how messages name it. Points to the object, which must outlive this.
class JsonFields {
 public:
  JsonFields(const google::protobuf::Struct* object, std::string who) : object_(*object), who_(std::move(who)) {}
  // InvalidArgument naming `who` if `value` is no object.
  static absl::StatusOr<JsonFields> FromValue(const google::protobuf::Value& value, std::string who);

  bool Has(absl::string_view name) const { return object_.fields().contains(std::string(name)); }
  // Finite and not negative.
  absl::StatusOr<double> Amount(absl::string_view name) const;
  // Whole, from 0 to 2^53.
  absl::StatusOr<int64_t> Whole(absl::string_view name) const;
  // A string, or a whole number as people would write it.
  absl::StatusOr<std::string> Text(absl::string_view name) const;
  absl::StatusOr<bool> Flag(absl::string_view name) const;
  absl::StatusOr<const google::protobuf::ListValue*> List(absl::string_view name) const;
  absl::StatusOr<JsonFields> Object(absl::string_view name) const;

  absl::Status Error(absl::string_view what) const;

 private:
  absl::StatusOr<const google::protobuf::Value*> Find(absl::string_view name) const;

  const google::protobuf::Struct& object_;
  std::string who_;
};

// Whole numbers in lists, as above; `what` names the entry in the message.
absl::StatusOr<int64_t> WholeNumber(const google::protobuf::Value& value, absl::string_view what);

}  // namespace str::optimizer

#endif  // STR_OPTIMIZER_IMPORTERS_JSON_FIELDS_H_
