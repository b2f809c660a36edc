// Ops whose tensors have their channels first ("NCHW", the layout of GPUs), computed by TensorFlow's CPU kernels, which
// know channels last only: the node is rewritten, its tensors are transposed on the way in and out.
#ifndef STR_TESTS_FAKE_GPU_HOST_KERNELS_LAYOUT_H_
#define STR_TESTS_FAKE_GPU_HOST_KERNELS_LAYOUT_H_

#include <optional>
#include <vector>

#include "tensorflow/core/framework/node_def.pb.h"
#include "tensorflow/core/framework/tensor.h"

namespace str::fake_gpu {

// Which inputs and outputs of a node have the layout.
struct ChannelsFirst {
  std::vector<int> inputs;
  // One-dimensional inputs with a value per dimension: sizes, strides.
  std::vector<int> vectors;
  std::vector<int> outputs;
};

// If the node has its channels first, makes them last in its attributes and says what to transpose. Nothing for other
// nodes.
std::optional<ChannelsFirst> MakeChannelsLast(tensorflow::NodeDef* node);

// The shape and the values of a tensor with its channels moved. At least three dimensions; others stay as they are.
tensorflow::TensorShape ChannelsLastShape(const tensorflow::TensorShape& shape);
tensorflow::Tensor ToChannelsLast(const tensorflow::Tensor& tensor);
tensorflow::Tensor ToChannelsFirst(const tensorflow::Tensor& tensor);
// The same for a vector with a value per dimension.
tensorflow::Tensor VectorToChannelsLast(const tensorflow::Tensor& vector);

}  // namespace str::fake_gpu

#endif  // STR_TESTS_FAKE_GPU_HOST_KERNELS_LAYOUT_H_
