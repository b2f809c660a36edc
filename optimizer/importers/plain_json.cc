#include "optimizer/importers/plain_json.h"

#include <utility>

#include "absl/strings/str_cat.h"

namespace str::optimizer {
namespace {

absl::StatusOr<ImportedNode> ImportNode(const google::protobuf::Value& value, int index) {
  const absl::StatusOr<JsonFields> fields = JsonFields::FromValue(value, absl::StrCat("node ", index));
  if (!fields.ok()) return fields.status();
  const absl::StatusOr<std::string> name = fields->Text("name");
  if (!name.ok()) return name.status();
  const absl::StatusOr<JsonFields> named =
      JsonFields::FromValue(value, absl::StrCat("node ", index, " (\"", *name, "\")"));
  const absl::StatusOr<double> seconds = named->Amount("cost");
  if (!seconds.ok()) return seconds.status();
  const absl::StatusOr<int64_t> bytes = named->Whole("bytes");
  if (!bytes.ok()) return bytes.status();
  const absl::StatusOr<bool> backward = named->Flag("is_backward");
  if (!backward.ok()) return backward.status();
  const auto deps = named->List("deps");
  if (!deps.ok()) return deps.status();
  ImportedNode node{*name, *seconds, *bytes, {}, !*backward};
  for (const google::protobuf::Value& dep : (*deps)->values()) {
    const absl::StatusOr<int64_t> input = WholeNumber(dep, "an entry of \"deps\"");
    if (!input.ok()) return named->Error(input.status().message());
    if (*input >= index) return named->Error(absl::StrCat("takes node ", *input, ", which does not come before it"));
    node.inputs.push_back(*input);
  }
  return node;
}

}  // namespace

bool IsPlainJson(const JsonFields& file) { return file.Has("nodes") && file.Has("const_bytes"); }

absl::StatusOr<ImportedGraph> ImportPlainJson(const JsonFields& file) {
  ImportedGraph graph;
  if (file.Has("name")) {
    const absl::StatusOr<std::string> name = file.Text("name");
    if (!name.ok()) return name.status();
    graph.name = *name;
  }
  const absl::StatusOr<int64_t> external = file.Whole("const_bytes");
  if (!external.ok()) return external.status();
  graph.external_bytes = *external;
  if (file.Has("pcie")) {
    const absl::StatusOr<int64_t> rate = file.Whole("pcie");
    if (!rate.ok()) return rate.status();
    graph.copy_bytes_per_second = *rate;
  }
  const auto nodes = file.List("nodes");
  if (!nodes.ok()) return nodes.status();
  for (const google::protobuf::Value& value : (*nodes)->values()) {
    absl::StatusOr<ImportedNode> node = ImportNode(value, static_cast<int>(graph.nodes.size()));
    if (!node.ok()) return node.status();
    graph.nodes.push_back(*std::move(node));
  }
  return graph;
}

}  // namespace str::optimizer
