#include "tf_plugin/graph/op_cost.h"

#include <string>

#include "absl/strings/match.h"
#include "tensorflow/core/framework/node_def_util.h"
#include "tensorflow/core/framework/types.h"

namespace str::graph {
namespace {

using tensorflow::Node;
using tensorflow::PartialTensorShape;

const PartialTensorShape* InputShape(const Node& node, int input, const StaticShapes& shapes) {
  const tensorflow::Edge* edge = nullptr;
  if (input >= node.num_inputs() || !node.input_edge(input, &edge).ok()) return nullptr;
  return &shapes[edge->src()->id()][edge->src_output()];
}

int64_t Elements(const PartialTensorShape* shape) {
  return shape != nullptr && shape->IsFullyDefined() ? shape->num_elements() : 0;
}

int64_t Dim(const PartialTensorShape* shape, int index) {
  return shape != nullptr && shape->IsFullyDefined() && index < shape->dims() ? shape->dim_size(index) : 0;
}

// A convolution and its two gradients do the same multiplications: kernel elements times output positions.
int64_t ConvolutionFlops(const Node& node, const StaticShapes& shapes) {
  const std::string& op = node.type_string();
  const PartialTensorShape* const output = &shapes[node.id()][0];
  const bool depthwise = absl::StrContains(op, "Depthwise");
  if (absl::StrContains(op, "BackpropFilter")) {
    // input 2 is the output gradient, output 0 the filter [h, w, in, out].
    const int64_t positions = Elements(InputShape(node, 2, shapes));
    const int64_t window = Dim(output, 0) * Dim(output, 1);
    return 2 * positions * window * (depthwise ? 1 : Dim(output, 2));
  }
  if (absl::StrContains(op, "BackpropInput")) {
    const PartialTensorShape* const filter = InputShape(node, 1, shapes);
    const int64_t positions = Elements(InputShape(node, 2, shapes));
    return 2 * positions * Dim(filter, 0) * Dim(filter, 1) * (depthwise ? 1 : Dim(filter, 2));
  }
  const PartialTensorShape* const filter = InputShape(node, 1, shapes);
  return 2 * Elements(output) * Dim(filter, 0) * Dim(filter, 1) * (depthwise ? 1 : Dim(filter, 2));
}

int64_t MatMulFlops(const Node& node, const StaticShapes& shapes) {
  const PartialTensorShape* const a = InputShape(node, 0, shapes);
  if (a == nullptr || a->dims() < 2) return 0;
  bool transposed = false;
  if (!tensorflow::TryGetNodeAttr(node.attrs(), "transpose_a", &transposed)) {
    tensorflow::TryGetNodeAttr(node.attrs(), "adj_x", &transposed);
  }
  return 2 * Elements(&shapes[node.id()][0]) * Dim(a, a->dims() - (transposed ? 2 : 1));
}

}  // namespace

std::optional<int64_t> OutputBytes(const Node& node, int output, const StaticShapes& shapes) {
  const PartialTensorShape& shape = shapes[node.id()][output];
  const int size = tensorflow::DataTypeSize(tensorflow::BaseType(node.output_type(output)));
  if (!shape.IsFullyDefined() || size == 0) return std::nullopt;
  return shape.num_elements() * size;
}

OpCost CostOf(const Node& node, const StaticShapes& shapes) {
  OpCost cost;
  for (int i = 0; i < node.num_outputs(); ++i) cost.moved_bytes += OutputBytes(node, i, shapes).value_or(0);
  for (const tensorflow::Edge* edge : node.in_edges()) {
    if (edge->IsControlEdge()) continue;
    cost.moved_bytes += OutputBytes(*edge->src(), edge->src_output(), shapes).value_or(0);
  }
  if (node.num_outputs() == 0) return cost;
  const std::string& op = node.type_string();
  if (absl::StrContains(op, "Conv2D") || absl::StrContains(op, "Conv3D") || absl::StrContains(op, "DepthwiseConv")) {
    cost.flops = ConvolutionFlops(node, shapes);
  } else if (absl::StrContains(op, "MatMul")) {
    cost.flops = MatMulFlops(node, shapes);
  } else {
    cost.flops = Elements(&shapes[node.id()][0]);
  }
  return cost;
}

}  // namespace str::graph
