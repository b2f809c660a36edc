// Which ops of the emulated GPU are computed by TensorFlow's CPU kernels, and which of their outputs reuse an input's
// memory, as the kernels for GPUs do.
#ifndef STR_TESTS_FAKE_GPU_HOST_KERNELS_OP_RULES_H_
#define STR_TESTS_FAKE_GPU_HOST_KERNELS_OP_RULES_H_

#include <string>
#include <vector>

#include "tensorflow/core/framework/kernel_def.pb.h"
#include "tensorflow/core/framework/op_def.pb.h"

namespace str::fake_gpu {

// Whether this kernel, registered for GPUs, launches work on the device's memory. Others only hand tensors on, or
// compute on the host: they work on the emulated GPU as they are.
bool ComputesOnDevice(const tensorflow::KernelDef& kernel, const tensorflow::OpDef& op);

// Whether an op with a resource as input changes the variable. REQUIRES: ComputesOnDevice.
bool UpdatesVariables(const std::string& op);

// The inputs whose memory may become this output's, in the order in which the kernel tries them.
std::vector<int> ReusableInputs(const std::string& op, int output, int num_inputs);

// AddN adds to the input whose memory it takes, so that its last bits depend on which that is.
bool AddsToReusedInput(const std::string& op);

}  // namespace str::fake_gpu

#endif  // STR_TESTS_FAKE_GPU_HOST_KERNELS_OP_RULES_H_
