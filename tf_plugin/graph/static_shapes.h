// File: static_shapes.h
//
// Shapes of a partition's tensors as far as they are known before anything runs.
#ifndef STR_TF_PLUGIN_GRAPH_STATIC_SHAPES_H_
#define STR_TF_PLUGIN_GRAPH_STATIC_SHAPES_H_

#include <map>
#include <string>
#include <vector>

#include "tensorflow/core/framework/tensor_shape.h"
#include "tensorflow/core/graph/graph.h"

namespace str::graph {

// By node id, by output. Unknown where shape inference knows nothing; an inconsistent shape function of TensorFlow
// (some exist) costs the shapes of that node only.
using StaticShapes = std::vector<std::vector<tensorflow::PartialTensorShape>>;

// By name of a Recv: the shape of what it receives (partitions.h).
using ReceivedShapes = std::map<std::string, tensorflow::PartialTensorShape>;

// `order` is a topological order of all nodes of `graph`.
StaticShapes InferStaticShapes(const tensorflow::Graph& graph, const std::vector<tensorflow::Node*>& order,
                               const ReceivedShapes& received = {});

}  // namespace str::graph

#endif  // STR_TF_PLUGIN_GRAPH_STATIC_SHAPES_H_
