// File: capture_files.h
//
// Where captured graphs go: DIR/NAME-FINGERPRINT.graph, and DIR/index.json with the largest peak first.
#ifndef STR_TF_PLUGIN_CAPTURE_CAPTURE_FILES_H_
#define STR_TF_PLUGIN_CAPTURE_CAPTURE_FILES_H_

#include <string>

#include "absl/status/statusor.h"
#include "config/graph.pb.h"

namespace str::capture {

// Writes or replaces the graph's file and the index; graphs of other processes in the folder are listed too.
// Returns the file's path. Thread-safe.
absl::StatusOr<std::string> WriteCapture(const config::GraphFile& graph, const std::string& directory);

}  // namespace str::capture

#endif  // STR_TF_PLUGIN_CAPTURE_CAPTURE_FILES_H_
