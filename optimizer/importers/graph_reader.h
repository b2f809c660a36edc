// Reads a graph in any format that STR knows, recognised by its content: STR's own graph file, plain JSON, node-link
// JSON, mksch's text. Whatever the format, the result has passed the graph validator.
#ifndef STR_OPTIMIZER_IMPORTERS_GRAPH_READER_H_
#define STR_OPTIMIZER_IMPORTERS_GRAPH_READER_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "config/graph.pb.h"

namespace str::optimizer {

// What a cost of 1 takes where the file has no unit.
inline constexpr absl::Duration kDefaultCostUnit = absl::Microseconds(100);

// Whether the text is JSON rather than a file of STR.
bool LooksLikeJson(absl::string_view text);

// `source_name` stands for the file in messages, which also name the line or the node.
absl::StatusOr<config::GraphFile> ParseAnyGraph(absl::string_view text, absl::string_view source_name,
                                                absl::Duration cost_unit);

absl::StatusOr<config::GraphFile> ReadAnyGraph(const std::string& path, absl::Duration cost_unit);

}  // namespace str::optimizer

#endif  // STR_OPTIMIZER_IMPORTERS_GRAPH_READER_H_
