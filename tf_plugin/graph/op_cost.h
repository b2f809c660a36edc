// File: op_cost.h
//
// Work of an op from the shapes of its tensors, for graphs that cannot be run: floating-point operations and bytes
// read and written. A device description turns them into time, offline. Convolutions, products of matrices and einsums
// are counted here, other ops by Grappler where it knows them (grappler_cost.h), else by their elements.
#ifndef STR_TF_PLUGIN_GRAPH_OP_COST_H_
#define STR_TF_PLUGIN_GRAPH_OP_COST_H_

#include <cstdint>
#include <optional>

#include "tensorflow/core/graph/graph.h"
#include "tf_plugin/graph/static_shapes.h"

namespace str::graph {

struct OpCost {
  int64_t flops = 0;
  int64_t moved_bytes = 0;
};

// Bytes of one output; nothing if a dimension is unknown or the type has no fixed size.
std::optional<int64_t> OutputBytes(const tensorflow::Node& node, int output, const StaticShapes& shapes);

// Zero where a shape is unknown, and for what only hands on a buffer: views, reads and replacements of variables.
OpCost CostOf(const tensorflow::Node& node, const StaticShapes& shapes);

}  // namespace str::graph

#endif  // STR_TF_PLUGIN_GRAPH_OP_COST_H_
