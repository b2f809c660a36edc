// The emulated GPU's kernel of an op: enqueues TensorFlow's CPU kernel on the compute stream, with the device memory
// that it reads and writes. As on a GPU it has not run when Compute returns, and nothing but the stream's order keeps
// its inputs alive.
#ifndef STR_TESTS_FAKE_GPU_HOST_KERNELS_HOST_KERNEL_H_
#define STR_TESTS_FAKE_GPU_HOST_KERNELS_HOST_KERNEL_H_

#include <memory>
#include <optional>
#include <vector>

#include "tensorflow/core/framework/op_kernel.h"
#include "tests/fake_gpu/host_kernels/host_run.h"
#include "tests/fake_gpu/host_kernels/op_work.h"

namespace str::fake_gpu {

class HostKernel : public tensorflow::OpKernel {
 public:
  explicit HostKernel(tensorflow::OpKernelConstruction* construction);

  void Compute(tensorflow::OpKernelContext* context) override;

 private:
  struct Operands;

  // False, with the context's status set, if a variable does not exist.
  bool CollectInputs(tensorflow::OpKernelContext* context, Operands* operands) const;
  // Nothing if a shape depends on values in device memory.
  std::optional<std::vector<tensorflow::TensorShape>> OutputShapes(const Operands& operands) const;
  void ComputeInOrder(tensorflow::OpKernelContext* context, Operands operands,
                      const std::vector<tensorflow::TensorShape>& shapes);
  // For shapes that depend on values: the host waits, as it does with kernels for GPUs.
  void ComputeAndWait(tensorflow::OpKernelContext* context, const Operands& operands);

  const int graph_def_version_;
  std::shared_ptr<HostRun> run_;
};

}  // namespace str::fake_gpu

#endif  // STR_TESTS_FAKE_GPU_HOST_KERNELS_HOST_KERNEL_H_
