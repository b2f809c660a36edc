#include "tests/fake_gpu/host_kernels/op_work.h"

#include <algorithm>
#include <map>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_split.h"
#include "tensorflow/core/framework/node_def_util.h"

namespace str::fake_gpu {
namespace {

using tensorflow::NodeDef;
using tensorflow::TensorShape;
using Shapes = std::vector<ShapeAndType>;

int64_t Bytes(const ShapeAndType& tensor) {
  return tensor.shape.num_elements() * tensorflow::DataTypeSize(tensorflow::BaseType(tensor.type));
}

// A convolution and its gradients multiply once for each element of the output and of the window. Filters are
// [window..., in, out] in every layout, those of depthwise ones [window..., in, multiplier].
int64_t ConvolutionFlops(const std::string& op, const Shapes& inputs, const Shapes& outputs) {
  const bool of_filter = absl::StrContains(op, "BackpropFilter");
  const bool of_input = absl::StrContains(op, "BackpropInput");
  if (inputs.size() < (of_filter || of_input ? 3 : 2)) return 0;
  const TensorShape& filter = of_filter ? outputs[0].shape : inputs[1].shape;
  const TensorShape& result = of_filter || of_input ? inputs[2].shape : outputs[0].shape;
  int64_t window = 1;
  for (int i = 0; i < filter.dims() - (absl::StrContains(op, "Depthwise") ? 2 : 1); ++i) window *= filter.dim_size(i);
  return 2 * result.num_elements() * window;
}

int64_t MatMulFlops(const NodeDef& node, const Shapes& inputs, const Shapes& outputs) {
  const TensorShape& left = inputs[0].shape;
  if (left.dims() < 2) return 0;
  bool transposed = false;
  if (!tensorflow::TryGetNodeAttr(node, "transpose_a", &transposed)) {
    tensorflow::TryGetNodeAttr(node, "adj_x", &transposed);
  }
  return 2 * outputs[0].shape.num_elements() * left.dim_size(left.dims() - (transposed ? 2 : 1));
}

// Two operands: one multiplication for each value of all indices together. One operand: its elements.
int64_t EinsumFlops(const NodeDef& node, const Shapes& inputs) {
  std::string equation;
  if (!tensorflow::TryGetNodeAttr(node, "equation", &equation)) return 0;
  const std::vector<std::string> terms = absl::StrSplit(equation.substr(0, equation.find("->")), ',');
  if (terms.size() != inputs.size() || terms.size() == 1) return inputs[0].shape.num_elements();
  std::map<char, int64_t> sizes;
  int64_t flops = 2, largest_rest = 1;
  for (size_t i = 0; i < terms.size(); ++i) {
    const TensorShape& shape = inputs[i].shape;
    int64_t named = 1;
    const int letters = static_cast<int>(std::count_if(terms[i].begin(), terms[i].end(), absl::ascii_isalpha));
    int dim = 0;
    for (size_t c = 0; c < terms[i].size(); ++c) {
      if (terms[i][c] == '.') {
        dim += shape.dims() - letters;
        c += 2;
      } else if (absl::ascii_isalpha(terms[i][c]) && dim < shape.dims()) {
        named *= shape.dim_size(dim);
        sizes[terms[i][c]] = std::max(sizes[terms[i][c]], shape.dim_size(dim++));
      }
    }
    if (named > 0) largest_rest = std::max(largest_rest, shape.num_elements() / named);
  }
  for (const auto& [letter, size] : sizes) flops *= size;
  return flops * largest_rest;
}

bool ReadsAPart(const std::string& op) {
  return absl::StrContains(op, "Gather") || op == "Slice" || op == "StridedSlice";
}

}  // namespace

OpWork WorkOf(const NodeDef& node, const Shapes& inputs, const Shapes& outputs) {
  OpWork work;
  const std::string& op = node.op();
  int64_t written = 0, elements = 0;
  for (const ShapeAndType& output : outputs) {
    written += Bytes(output);
    elements = std::max(elements, output.shape.num_elements());
  }
  work.moved_bytes = written;
  for (const ShapeAndType& input : inputs) {
    work.moved_bytes += ReadsAPart(op) ? std::min(Bytes(input), written) : Bytes(input);
    if (!ReadsAPart(op)) elements = std::max(elements, input.shape.num_elements());
  }
  if (absl::StrContains(op, "Conv2D") || absl::StrContains(op, "Conv3D") || absl::StrContains(op, "DepthwiseConv")) {
    work.flops = ConvolutionFlops(op, inputs, outputs);
  } else if (absl::StrContains(op, "MatMul") && inputs.size() >= 2 && !outputs.empty()) {
    work.flops = MatMulFlops(node, inputs, outputs);
  } else if (op == "Einsum" && !inputs.empty()) {
    work.flops = EinsumFlops(node, inputs);
  } else {
    work.flops = elements;
  }
  return work;
}

}  // namespace str::fake_gpu
