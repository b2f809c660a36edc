#include "tf_plugin/graph/op_cost.h"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_split.h"
#include "tensorflow/core/framework/node_def_util.h"
#include "tensorflow/core/framework/types.h"
#include "tf_plugin/graph/grappler_cost.h"
#include "tf_plugin/graph/op_facts.h"

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

// A product of two tensors multiplies once for each value of all its indices together; "..." stands for several. Of one
// tensor it only moves or adds up the elements.
int64_t EinsumFlops(const Node& node, const StaticShapes& shapes) {
  std::string equation;
  if (!tensorflow::TryGetNodeAttr(node.attrs(), "equation", &equation)) return 0;
  const std::vector<std::string> terms = absl::StrSplit(equation.substr(0, equation.find("->")), ',');
  std::map<char, int64_t> sizes;
  int64_t ellipsis = 1;
  for (size_t i = 0; i < terms.size(); ++i) {
    const PartialTensorShape* const shape = InputShape(node, static_cast<int>(i), shapes);
    if (shape == nullptr || !shape->IsFullyDefined()) return 0;
    if (terms.size() == 1) return Elements(shape);
    const int named = static_cast<int>(std::count_if(terms[i].begin(), terms[i].end(), absl::ascii_isalpha));
    int dim = 0;
    int64_t in_ellipsis = 1;
    for (size_t c = 0; c < terms[i].size(); ++c) {
      if (absl::ascii_isalpha(terms[i][c])) {
        int64_t& size = sizes[terms[i][c]];
        size = std::max(size, Dim(shape, dim++));
      } else if (terms[i].compare(c, 3, "...") == 0) {
        for (const int end = dim + shape->dims() - named; dim < end; ++dim) in_ellipsis *= Dim(shape, dim);
      }
    }
    ellipsis = std::max(ellipsis, in_ellipsis);
  }
  int64_t flops = 2 * ellipsis;
  for (const auto& [label, size] : sizes) flops *= size;
  return flops;
}

// Reads of an input only what it writes.
bool ReadsAPart(const std::string& op) {
  return absl::StrContains(op, "Gather") || op == "Slice" || op == "StridedSlice" || op == "_MklSlice";
}

// One operation per element that is written, or read and reduced.
int64_t LargestElements(const Node& node, const StaticShapes& shapes) {
  int64_t largest = Elements(&shapes[node.id()][0]);
  // Of a table only what is looked up.
  if (ReadsAPart(node.type_string())) return largest;
  for (int i = 0; i < node.num_inputs(); ++i) largest = std::max(largest, Elements(InputShape(node, i, shapes)));
  return largest;
}

bool OnlyHandsOn(const Node& node) {
  const config::VariableUse use = VariableUseOf(node);
  return use == config::VARIABLE_READ || use == config::VARIABLE_REPLACE ||
         (IsView(node.type_string()) && node.num_outputs() == 1);
}

int64_t MovedBytes(const Node& node, const StaticShapes& shapes) {
  int64_t written = 0, read = 0, largest = 0;
  for (int i = 0; i < node.num_outputs(); ++i) written += OutputBytes(node, i, shapes).value_or(0);
  for (const tensorflow::Edge* edge : node.in_edges()) {
    if (edge->IsControlEdge()) continue;
    const int64_t bytes = OutputBytes(*edge->src(), edge->src_output(), shapes).value_or(0);
    read += ReadsAPart(node.type_string()) ? std::min(bytes, written) : bytes;
    largest = std::max(largest, bytes);
  }
  // A variable is as large as what changes it, and is read and written.
  if (VariableUseOf(node) == config::VARIABLE_UPDATE) written += 2 * largest;
  return read + written;
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
  if (OnlyHandsOn(node)) return cost;
  cost.moved_bytes = MovedBytes(node, shapes);
  if (node.num_outputs() == 0) return cost;
  const std::string& op = node.type_string();
  // Grappler counts these too, but knows no convolution in space, no fused one, and only the einsums that are products
  // of matrices; where both know an op the count is the same (grappler_cost_test.cc).
  if (absl::StrContains(op, "Conv2D") || absl::StrContains(op, "Conv3D") || absl::StrContains(op, "DepthwiseConv")) {
    cost.flops = ConvolutionFlops(node, shapes);
  } else if (absl::StrContains(op, "MatMul")) {
    cost.flops = MatMulFlops(node, shapes);
  } else if (absl::StrContains(op, "Einsum")) {
    cost.flops = EinsumFlops(node, shapes);
  } else if (const std::optional<OpCost> grappler = GrapplerCostOf(node, shapes); grappler.has_value()) {
    cost.flops = grappler->flops;
    // It knows of second passes over an input, and forgets the axis of a gather.
    cost.moved_bytes = std::max(cost.moved_bytes, grappler->moved_bytes);
  } else {
    cost.flops = LargestElements(node, shapes);
  }
  return cost;
}

}  // namespace str::graph
