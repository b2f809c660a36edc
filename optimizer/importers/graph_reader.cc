#include "optimizer/importers/graph_reader.h"

#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "config/atomic_file.h"
#include "config/graph_io.h"
#include "optimizer/importers/imported_graph.h"
#include "optimizer/importers/json_fields.h"
#include "optimizer/importers/mksch_graph.h"
#include "optimizer/importers/mksch_text.h"
#include "optimizer/importers/node_link_json.h"
#include "optimizer/importers/plain_json.h"

namespace str::optimizer {
namespace {

absl::StatusOr<config::GraphFile> ParseJsonGraph(absl::string_view text, absl::Duration cost_unit) {
  const absl::StatusOr<google::protobuf::Struct> object = ParseJson(text);
  if (!object.ok()) {
    // One object a line, so that the first line ends what is JSON.
    if (!absl::StrContains(text.substr(0, text.find('\n')), "\"INSTRUCTION\"")) return object.status();
    return absl::InvalidArgumentError("this is a log of DTR's simulator, not a graph; str replay runs it");
  }
  const JsonFields file(&*object, "top level");
  if (file.Has("command") && file.Has("rows")) {
    return absl::InvalidArgumentError("these are results of STR, not a graph; str report draws them");
  }
  absl::StatusOr<ImportedGraph> graph = absl::InvalidArgumentError(
      "JSON, but no graph that STR knows: neither \"nodes\" with \"const_bytes\" nor \"nodes\" with \"links\"");
  if (IsPlainJson(file)) {
    graph = ImportPlainJson(file);
  } else if (IsNodeLinkJson(file)) {
    graph = ImportNodeLinkJson(file, absl::ToDoubleSeconds(cost_unit));
  }
  if (!graph.ok()) return graph.status();
  return MakeGraphFile(*graph);
}

absl::StatusOr<config::GraphFile> ParseMkschGraph(absl::string_view text, absl::Duration cost_unit) {
  const absl::StatusOr<MkschGraph> graph = ParseMksch(text);
  if (!graph.ok()) return graph.status();
  absl::StatusOr<MkschImport> import = ImportMksch(*graph, absl::ToDoubleSeconds(cost_unit));
  if (!import.ok()) return import.status();
  return std::move(import->file);
}

}  // namespace

bool LooksLikeJson(absl::string_view text) { return absl::StartsWith(absl::StripLeadingAsciiWhitespace(text), "{"); }

absl::StatusOr<config::GraphFile> ParseAnyGraph(absl::string_view text, absl::string_view source_name,
                                                absl::Duration cost_unit) {
  const bool mksch = LooksLikeMksch(text);
  if (!mksch && !LooksLikeJson(text)) return config::ParseGraph(text, source_name);
  absl::StatusOr<config::GraphFile> graph = mksch ? ParseMkschGraph(text, cost_unit) : ParseJsonGraph(text, cost_unit);
  if (!graph.ok()) return absl::InvalidArgumentError(absl::StrCat(source_name, ": ", graph.status().message()));
  return graph;
}

absl::StatusOr<config::GraphFile> ReadAnyGraph(const std::string& path, absl::Duration cost_unit) {
  const absl::StatusOr<std::string> text = config::ReadFile(path);
  if (!text.ok()) return text.status();
  return ParseAnyGraph(*text, path, cost_unit);
}

}  // namespace str::optimizer
