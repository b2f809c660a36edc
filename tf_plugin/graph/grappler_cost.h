// File: grappler_cost.h
//
// Work of an op by Grappler's estimator, which TensorFlow carries for its own optimizers (OpLevelCostEstimator). It
// counts what one element costs in elementwise ops, the windows of pooling, and how often normalizations read their
// input.
#ifndef STR_TF_PLUGIN_GRAPH_GRAPPLER_COST_H_
#define STR_TF_PLUGIN_GRAPH_GRAPPLER_COST_H_

#include <optional>
#include <string>

#include "tensorflow/core/graph/graph.h"
#include "tf_plugin/graph/op_cost.h"
#include "tf_plugin/graph/static_shapes.h"

namespace str::graph {

// Nothing if Grappler has no rule for such ops, or a shape is unknown: then it would guess.
std::optional<OpCost> GrapplerCostOf(const tensorflow::Node& node, const StaticShapes& shapes);

}  // namespace str::graph

#endif  // STR_TF_PLUGIN_GRAPH_GRAPPLER_COST_H_
