// What all importers have in common: nodes with one output each, in an order that works, become a graph file.
//
// Such graphs say nothing about buffers: no views, no buffers taken over, no temporaries, sizes as given (granule 1).
// Their times count as measured.
#ifndef STR_OPTIMIZER_IMPORTERS_IMPORTED_GRAPH_H_
#define STR_OPTIMIZER_IMPORTERS_IMPORTED_GRAPH_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "config/graph.pb.h"

namespace str::optimizer {

struct ImportedNode {
  std::string name;
  double seconds = 0;
  int64_t bytes = 0;
  // Indices of earlier nodes whose outputs it takes.
  std::vector<int64_t> inputs;
  // The formats recompute only what the forward pass makes.
  bool may_recompute = true;
};

struct ImportedGraph {
  std::string name;
  // What is always there besides the nodes' outputs.
  int64_t external_bytes = 0;
  // Each way; 0: not known.
  int64_t copy_bytes_per_second = 0;
  std::vector<ImportedNode> nodes;
};

// The file has passed the graph validator. Errors name the node.
absl::StatusOr<config::GraphFile> MakeGraphFile(const ImportedGraph& graph);

// 16 hex digits over what makes two graphs the same: names, sizes and edges.
std::string ImportedFingerprint(const config::GraphFile& file);

}  // namespace str::optimizer

#endif  // STR_OPTIMIZER_IMPORTERS_IMPORTED_GRAPH_H_
