// File: graph_description.h
//
// A partition as a graph file, as far as it is known before anything runs.
#ifndef STR_TF_PLUGIN_CAPTURE_GRAPH_DESCRIPTION_H_
#define STR_TF_PLUGIN_CAPTURE_GRAPH_DESCRIPTION_H_

#include <string>

#include "absl/status/status.h"
#include "config/graph.pb.h"
#include "tf_plugin/graph/graph_view.h"

namespace str::capture {

// Node i of the file is view.order[i].
config::GraphFile DescribeGraph(const graph::GraphView& view, const std::string& name, const std::string& device);

// Bytes from static shapes instead of a run. An output of unknown size is refused by its node's name.
absl::Status FillBytesFromShapes(const graph::GraphView& view, config::GraphFile& graph);

}  // namespace str::capture

#endif  // STR_TF_PLUGIN_CAPTURE_GRAPH_DESCRIPTION_H_
