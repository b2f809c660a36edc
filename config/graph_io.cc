#include "config/graph_io.h"

#include "absl/strings/str_cat.h"
#include "config/atomic_file.h"
#include "config/graph_validator.h"
#include "config/text_proto.h"
#include "config/text_units.h"

namespace str::config {
namespace {

std::string Header(const GraphFile& graph) {
  std::string text = "STR graph: what TensorFlow executes in one step on one device.\n";
  absl::StrAppend(&text, "Graph: ", graph.name(), ", ", graph.node_size(), " nodes, fingerprint ", graph.fingerprint(),
                  ", TensorFlow ", graph.tensorflow_version(), ", ", graph.device(), "\n");
  if (graph.steps_measured() > 0) {
    absl::StrAppend(&text, "Measured over ", graph.steps_measured(),
                    " steps; peak: ", FormatBytes(graph.measured_peak_bytes()), "\n");
  } else {
    absl::StrAppend(&text, "Nothing was run: bytes come from the shapes.\n");
  }
  absl::StrAppend(&text, "Plan with: str plan THIS_FILE --budget=SIZE. docs/graph_format.md explains every field.");
  return CommentLines(text);
}

}  // namespace

absl::StatusOr<GraphFile> ParseGraph(absl::string_view text, absl::string_view source_name) {
  GraphFile graph;
  if (absl::Status parsed = ParseTextProto(text, FileKind::kGraph, source_name, &graph); !parsed.ok()) return parsed;
  if (absl::Status valid = ValidateGraph(graph); !valid.ok()) {
    return absl::InvalidArgumentError(absl::StrCat(source_name, ": ", valid.message()));
  }
  graph.clear_node_count();
  return graph;
}

absl::StatusOr<GraphFile> ReadGraph(const std::string& path) {
  const absl::StatusOr<std::string> text = ReadFile(path);
  if (!text.ok()) return text.status();
  return ParseGraph(*text, path);
}

absl::Status WriteGraph(const GraphFile& graph, const std::string& path) {
  if (absl::Status valid = ValidateGraph(graph); !valid.ok()) {
    return absl::InvalidArgumentError(absl::StrCat("graph not written to ", path, ": ", valid.message()));
  }
  return WriteFileAtomically(path, GraphText(graph));
}

std::string GraphText(const GraphFile& graph) {
  GraphFile counted = graph;
  counted.set_node_count(graph.node_size());
  return absl::StrCat(Header(graph), PrintTextProto(counted));
}

}  // namespace str::config
