// Reads and writes graph files (graph.proto): protobuf text format with a comment header for people.
//
// What is read or written is also validated (graph_validator.h), so users of a GraphFile may rely on its rules.
#ifndef STR_CONFIG_GRAPH_IO_H_
#define STR_CONFIG_GRAPH_IO_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "config/graph.pb.h"

namespace str::config {

// Errors name the file, and the line and column or the node.
absl::StatusOr<GraphFile> ReadGraph(const std::string& path);

// `source_name` stands for the file in messages.
absl::StatusOr<GraphFile> ParseGraph(absl::string_view text, absl::string_view source_name);

// Refuses a graph that ReadGraph would refuse; then nothing is written.
absl::Status WriteGraph(const GraphFile& graph, const std::string& path);

std::string GraphText(const GraphFile& graph);

}  // namespace str::config

#endif  // STR_CONFIG_GRAPH_IO_H_
