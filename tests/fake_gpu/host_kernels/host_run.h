// Runs TensorFlow's CPU kernel of a node on tensors that lie in memory of the host, outside of any executor.
#ifndef STR_TESTS_FAKE_GPU_HOST_KERNELS_HOST_RUN_H_
#define STR_TESTS_FAKE_GPU_HOST_KERNELS_HOST_RUN_H_

#include <memory>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/framework/tensor.h"
#include "tests/fake_gpu/host_kernels/layout.h"

namespace str::fake_gpu {

// A tensor over bytes that belong to somebody else.
tensorflow::Tensor ViewOf(tensorflow::DataType type, const tensorflow::TensorShape& shape, void* bytes);

// An input of a run: a value, or a variable, whose bytes the kernel may change.
struct HostInput {
  tensorflow::Tensor value;
  bool is_variable = false;
};

class HostRun {
 public:
  // NotFound and the like if there is no CPU kernel for the node.
  static absl::StatusOr<std::shared_ptr<HostRun>> Create(const tensorflow::NodeDef& node, int graph_def_version);

  // In the layout of the node. A changed variable is changed in place. Not thread-safe: one stream calls it.
  absl::StatusOr<std::vector<tensorflow::Tensor>> Run(const std::vector<HostInput>& inputs);

 private:
  std::unique_ptr<tensorflow::OpKernel> kernel_;
  std::optional<ChannelsFirst> channels_first_;
};

}  // namespace str::fake_gpu

#endif  // STR_TESTS_FAKE_GPU_HOST_KERNELS_HOST_RUN_H_
