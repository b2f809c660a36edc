// File: capture_pass.h
//
// Captures one partition: describes it and marks its nodes, which then run in TensorFlow's own order, but one at a
// time, so that each node's time is its own. The file is written when steps have run, or at once, from shapes alone,
// for a graph that cannot be run.
#ifndef STR_TF_PLUGIN_CAPTURE_CAPTURE_PASS_H_
#define STR_TF_PLUGIN_CAPTURE_CAPTURE_PASS_H_

#include <functional>
#include <string>

#include "absl/status/status.h"
#include "config/graph.pb.h"
#include "tensorflow/core/graph/graph.h"
#include "tf_plugin/graph/graph_view.h"

namespace str::capture {

// Gets the graph after each measured step, each time with what was measured so far.
using CaptureSink = std::function<void(const config::GraphFile&)>;

// Writes files into `directory`.
CaptureSink WriteTo(const std::string& directory);

// Changes nothing of the graph but attributes of its nodes.
void CaptureByRunning(const graph::GraphView& view, const std::string& name, const std::string& device,
                      CaptureSink sink);

// Writes the file and returns Cancelled, so that the step is not run; another error if the graph cannot be described.
absl::Status CaptureWithoutRunning(const graph::GraphView& view, const std::string& name, const std::string& device,
                                   const std::string& directory);

}  // namespace str::capture

#endif  // STR_TF_PLUGIN_CAPTURE_CAPTURE_PASS_H_
