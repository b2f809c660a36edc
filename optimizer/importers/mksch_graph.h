// A graph of mksch as a graph file of ours.
//
// Budgets mean what they mean there: values that functions make, and their gradients. Leaves (parameters, inputs) and
// their gradients are external and count nothing. Times are mksch's: 10 units for a function whose type begins with
// "Conv", 1 for any other.
//
// mksch may run a backward function once per gradient, so there is a node for each gradient of a value that is no leaf;
// the parts share the function's time. Where several functions contribute to one gradient, each adds to what is there,
// in the same buffer.
#ifndef STR_OPTIMIZER_IMPORTERS_MKSCH_GRAPH_H_
#define STR_OPTIMIZER_IMPORTERS_MKSCH_GRAPH_H_

#include <vector>

#include "absl/status/statusor.h"
#include "config/graph.pb.h"
#include "optimizer/importers/mksch_text.h"

namespace str::optimizer {

// What a node of the graph file stands for.
struct MkschNode {
  // -1: a leaf.
  int function = -1;
  // Indices of the function's outputs, in the order of the node's.
  std::vector<int> outputs;
};

struct MkschImport {
  config::GraphFile file;
  // By node id.
  std::vector<MkschNode> nodes;
};

// `unit_seconds` is what a cost of 1 takes. The file has passed the graph validator.
absl::StatusOr<MkschImport> ImportMksch(const MkschGraph& graph, double unit_seconds);

}  // namespace str::optimizer

#endif  // STR_OPTIMIZER_IMPORTERS_MKSCH_GRAPH_H_
