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

// Multiplications that one element of a convolution's output takes: the filter is [window..., in, out], in space as in
// the plane.
int64_t WindowElements(const PartialTensorShape* filter, bool depthwise) {
  const int dims = filter != nullptr && filter->IsFullyDefined() ? filter->dims() : 0;
  if (dims == 0) return 0;
  int64_t elements = 1;
  for (int i = 0; i < dims - (depthwise ? 2 : 1); ++i) elements *= filter->dim_size(i);
  return elements;
}

// A convolution and its two gradients do the same multiplications: window elements times output elements.
int64_t ConvolutionFlops(const Node& node, const StaticShapes& shapes) {
  const std::string& op = node.type_string();
  const bool depthwise = absl::StrContains(op, "Depthwise");
  const PartialTensorShape* output = &shapes[node.id()][0];
  const PartialTensorShape* filter = InputShape(node, 1, shapes);
  if (absl::StrContains(op, "BackpropFilter")) filter = output;
  if (absl::StrContains(op, "Backprop")) output = InputShape(node, 2, shapes);
  return 2 * Elements(output) * WindowElements(filter, depthwise);
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
