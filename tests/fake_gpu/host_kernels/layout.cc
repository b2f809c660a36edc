#include "tests/fake_gpu/host_kernels/layout.h"

#include <cstring>
#include <map>
#include <string>

#include "tensorflow/core/framework/attr_value.pb.h"
#include "tensorflow/core/framework/types.h"

namespace str::fake_gpu {
namespace {

using tensorflow::Tensor;
using tensorflow::TensorShape;

const std::map<std::string, ChannelsFirst>& Rules() {
  static const auto& rules = *new std::map<std::string, ChannelsFirst>{
      {"AvgPool", {{0}, {}, {0}}},
      {"AvgPool3D", {{0}, {}, {0}}},
      {"AvgPool3DGrad", {{1}, {0}, {0}}},
      {"AvgPoolGrad", {{1}, {0}, {0}}},
      {"BiasAdd", {{0}, {}, {0}}},
      {"BiasAddGrad", {{0}, {}, {}}},
      {"Conv2D", {{0}, {}, {0}}},
      {"Conv2DBackpropFilter", {{0, 2}, {}, {}}},
      {"Conv2DBackpropInput", {{2}, {0}, {0}}},
      {"Conv3D", {{0}, {}, {0}}},
      {"Conv3DBackpropFilterV2", {{0, 2}, {}, {}}},
      {"Conv3DBackpropInputV2", {{2}, {0}, {0}}},
      {"DepthToSpace", {{0}, {}, {0}}},
      {"DepthwiseConv2dNative", {{0}, {}, {0}}},
      {"DepthwiseConv2dNativeBackpropFilter", {{0, 2}, {}, {}}},
      {"DepthwiseConv2dNativeBackpropInput", {{2}, {0}, {0}}},
      {"FusedBatchNorm", {{0}, {}, {0}}},
      {"FusedBatchNormGrad", {{0, 1}, {}, {0}}},
      {"FusedBatchNormGradV2", {{0, 1}, {}, {0}}},
      {"FusedBatchNormGradV3", {{0, 1}, {}, {0}}},
      {"FusedBatchNormV2", {{0}, {}, {0}}},
      {"FusedBatchNormV3", {{0}, {}, {0}}},
      {"MaxPool", {{0}, {}, {0}}},
      {"MaxPool3D", {{0}, {}, {0}}},
      {"MaxPool3DGrad", {{0, 1, 2}, {}, {0}}},
      {"MaxPoolGrad", {{0, 1, 2}, {}, {0}}},
      {"MaxPoolGradGrad", {{0, 1, 2}, {}, {0}}},
      {"MaxPoolGradV2", {{0, 1, 2}, {3, 4}, {0}}},
      {"MaxPoolV2", {{0}, {1, 2}, {0}}},
      {"SpaceToDepth", {{0}, {}, {0}}},
      {"_FusedConv2D", {{0}, {}, {0}}},
  };
  return rules;
}

// Element i of the result is element From(i) of the original: N, then the dimensions of space, then C.
int From(int i, int dims) { return i == 0 ? 0 : i == dims - 1 ? 1 : i + 1; }

// `group` values belong to each dimension.
void PermuteList(tensorflow::AttrValue* value, int group) {
  auto* const list = value->mutable_list()->mutable_i();
  const int dims = list->size() / group;
  if (dims < 3) return;
  const std::vector<int64_t> old(list->begin(), list->end());
  for (int i = 0; i < dims; ++i) {
    for (int j = 0; j < group; ++j) list->Set(i * group + j, old[From(i, dims) * group + j]);
  }
}

// Seen as [batch, rows, columns]: swaps the last two.
Tensor SwapLastTwo(const Tensor& tensor, const TensorShape& shape, int64_t rows, int64_t columns) {
  Tensor result(tensor.dtype(), shape);
  const int64_t size = tensorflow::DataTypeSize(tensor.dtype());
  const int64_t batches = rows * columns > 0 ? tensor.NumElements() / (rows * columns) : 0;
  const char* const from = tensor.tensor_data().data();
  char* const to = const_cast<char*>(result.tensor_data().data());
  for (int64_t b = 0; b < batches; ++b) {
    for (int64_t r = 0; r < rows; ++r) {
      for (int64_t c = 0; c < columns; ++c) {
        std::memcpy(to + ((b * columns + c) * rows + r) * size, from + ((b * rows + r) * columns + c) * size, size);
      }
    }
  }
  return result;
}

}  // namespace

std::optional<ChannelsFirst> MakeChannelsLast(tensorflow::NodeDef* node) {
  const auto rule = Rules().find(node->op());
  const auto format = node->attr().find("data_format");
  if (rule == Rules().end() || format == node->attr().end()) return std::nullopt;
  auto& attributes = *node->mutable_attr();
  if (format->second.s() == "NCHW") {
    attributes["data_format"].set_s("NHWC");
  } else if (format->second.s() == "NCDHW") {
    attributes["data_format"].set_s("NDHWC");
  } else {
    return std::nullopt;
  }
  for (const char* const name : {"strides", "ksize", "dilations"}) {
    if (node->attr().count(name) > 0) PermuteList(&attributes[name], 1);
  }
  if (node->attr().count("explicit_paddings") > 0) PermuteList(&attributes["explicit_paddings"], 2);
  return rule->second;
}

TensorShape ChannelsLastShape(const TensorShape& shape) {
  if (shape.dims() < 3) return shape;
  TensorShape result;
  for (int i = 0; i < shape.dims(); ++i) result.AddDim(shape.dim_size(From(i, shape.dims())));
  return result;
}

Tensor ToChannelsLast(const Tensor& tensor) {
  if (tensor.dims() < 3) return tensor;
  const int64_t channels = tensor.dim_size(1);
  int64_t space = 1;
  for (int i = 2; i < tensor.dims(); ++i) space *= tensor.dim_size(i);
  return SwapLastTwo(tensor, ChannelsLastShape(tensor.shape()), channels, space);
}

Tensor ToChannelsFirst(const Tensor& tensor) {
  const int dims = tensor.dims();
  if (dims < 3) return tensor;
  TensorShape shape({tensor.dim_size(0), tensor.dim_size(dims - 1)});
  int64_t space = 1;
  for (int i = 1; i < dims - 1; ++i) {
    shape.AddDim(tensor.dim_size(i));
    space *= tensor.dim_size(i);
  }
  return SwapLastTwo(tensor, shape, space, tensor.dim_size(dims - 1));
}

Tensor VectorToChannelsLast(const Tensor& vector) {
  const int dims = static_cast<int>(vector.NumElements());
  if (vector.dims() != 1 || dims < 3) return vector;
  Tensor result(vector.dtype(), vector.shape());
  const int64_t size = tensorflow::DataTypeSize(vector.dtype());
  for (int i = 0; i < dims; ++i) {
    std::memcpy(const_cast<char*>(result.tensor_data().data()) + i * size,
                vector.tensor_data().data() + From(i, dims) * size, size);
  }
  return result;
}

}  // namespace str::fake_gpu
