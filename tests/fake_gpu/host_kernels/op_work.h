// The work of one run of an op from its tensors' shapes, for the virtual clock: floating-point operations, and bytes
// read and written.
#ifndef STR_TESTS_FAKE_GPU_HOST_KERNELS_OP_WORK_H_
#define STR_TESTS_FAKE_GPU_HOST_KERNELS_OP_WORK_H_

#include <cstdint>
#include <vector>

#include "tensorflow/core/framework/node_def.pb.h"
#include "tensorflow/core/framework/tensor_shape.h"
#include "tensorflow/core/framework/types.h"

namespace str::fake_gpu {

struct OpWork {
  int64_t flops = 0;
  int64_t moved_bytes = 0;
};

struct ShapeAndType {
  tensorflow::TensorShape shape;
  tensorflow::DataType type = tensorflow::DT_INVALID;
};

// Inputs and outputs as the node has them; a variable stands for its value.
OpWork WorkOf(const tensorflow::NodeDef& node, const std::vector<ShapeAndType>& inputs,
              const std::vector<ShapeAndType>& outputs);

}  // namespace str::fake_gpu

#endif  // STR_TESTS_FAKE_GPU_HOST_KERNELS_OP_WORK_H_
