#include "optimizer/sweep/row_store.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "config/atomic_file.h"
#include "optimizer/importers/json_fields.h"

namespace str::tools {
namespace {

constexpr absl::string_view kRowIndent = "    ";

}  // namespace

absl::Status RowStore::Foreign(absl::string_view why) const {
  return absl::FailedPreconditionError(absl::StrCat(file_, ": ", why, "; name another file, or delete this one"));
}

absl::Status RowStore::AnotherSweep(absl::string_view name, absl::string_view found, absl::string_view wanted) const {
  const auto text = [](absl::string_view value) { return value.empty() ? "none" : value; };
  std::string why;
  if (name == "graph" || name == "graphs") {
    why = absl::StrCat("was made from another graph: ", text(found), ", not ", text(wanted));
  } else if (name == "contents") {
    why = "was made from another graph of that name, such as an earlier capture, or for other figures of the device";
  } else {
    why = absl::StrCat("holds another sweep: its ", name, " is ", text(found), ", not ", text(wanted));
  }
  return absl::FailedPreconditionError(
      absl::StrCat(file_, ": ", why,
                   "; --fresh starts anew and overwrites it, another --json=FILE or --html=FILE leaves it as it is"));
}

absl::StatusOr<std::pair<std::string, google::protobuf::Struct>> RowStore::ReadSweep() const {
  absl::StatusOr<std::string> text = config::ReadFile(file_);
  if (!text.ok()) return text.status();
  absl::StatusOr<google::protobuf::Struct> object = optimizer::ParseJson(*text);
  if (!object.ok()) return Foreign(absl::StrCat("is there, but not the JSON of a sweep: ", object.status().message()));
  for (const char* field : {"command", "rows"}) {
    if (object->fields().count(field) == 0) return Foreign("is there, but not the JSON of a sweep");
  }
  return std::make_pair(*std::move(text), *std::move(object));
}

absl::Status RowStore::StartAnew() const {
  if (!InFile()) return absl::OkStatus();
  const absl::Status status = ReadSweep().status();
  return absl::IsNotFound(status) ? absl::OkStatus() : status;
}

absl::Status RowStore::Resume() {
  if (!InFile()) return absl::OkStatus();
  const absl::StatusOr<std::pair<std::string, google::protobuf::Struct>> sweep = ReadSweep();
  if (absl::IsNotFound(sweep.status())) return absl::OkStatus();
  if (!sweep.ok()) return sweep.status();
  const auto& [text, object] = *sweep;
  const optimizer::JsonFields fields(&object, file_);
  for (const auto& [name, value] : header_) {
    const absl::StatusOr<std::string> found = fields.Has(name) ? fields.Text(name) : std::string("nothing");
    if (!found.ok()) return Foreign(found.status().message());
    if (*found != value) return AnotherSweep(name, *found, value);
  }
  for (absl::string_view line : absl::StrSplit(text, '\n')) {
    if (!absl::ConsumePrefix(&line, kRowIndent)) continue;
    absl::ConsumeSuffix(&line, ",");
    if (absl::Status status = Keep(std::string(line)); !status.ok()) return Foreign(status.message());
  }
  return absl::OkStatus();
}

absl::Status RowStore::Keep(std::string text) {
  absl::StatusOr<google::protobuf::Struct> object = optimizer::ParseJson(text);
  if (!object.ok()) return object.status();
  const absl::StatusOr<std::string> point = optimizer::JsonFields(&*object, "a row").Text("point");
  if (!point.ok()) return point.status();
  rows_.push_back({std::move(text), *point, *std::move(object)});
  return absl::OkStatus();
}

const google::protobuf::Struct* RowStore::Find(absl::string_view point) const {
  for (const Row& row : rows_) {
    if (row.point == point) return &row.fields;
  }
  return nullptr;
}

absl::Status RowStore::Add(absl::string_view point, const JsonObject& row) {
  JsonObject name;
  name.Add("point", point);
  const std::string first = name.Text(), rest = row.Text();
  // Both are one object each: {a} and {b} make {a, b}.
  absl::Status status = Keep(absl::StrCat(first.substr(0, first.size() - 1), ", ", rest.substr(1)));
  if (!status.ok() || !InFile()) return status;
  return config::WriteFileAtomically(file_, Contents());
}

std::string RowStore::Contents() const {
  JsonObject object;
  for (const auto& [name, value] : header_) object.Add(name, value);
  const auto line = [](std::string* out, const Row& row) { absl::StrAppend(out, kRowIndent, row.text); };
  object.AddRaw("rows", rows_.empty() ? "[]" : absl::StrCat("[\n", absl::StrJoin(rows_, ",\n", line), "\n  ]"));
  return object.Pretty();
}

}  // namespace str::tools
