// File: observed_op.h
//
// Runs one op of a device under the observer of its graph: what every device of STR does around TensorFlow's own
// Compute and ComputeAsync.
#ifndef STR_TF_PLUGIN_DEVICE_OBSERVED_OP_H_
#define STR_TF_PLUGIN_DEVICE_OBSERVED_OP_H_

#include "absl/functional/function_ref.h"
#include "tensorflow/core/framework/op_kernel.h"
#include "tf_plugin/device/current_op.h"
#include "tf_plugin/device/device_memory.h"
#include "tf_plugin/device/marked_graph.h"

namespace str::device {

// `run` computes the op, and may set OpRecord::device_ns or timing_error. An allocation beyond the limit of `memory`,
// in the op or outside of any op before it, fails the op where there is emergency memory. Where there is none, the
// kernel's own status counts: it may have done without. The reason of an op that failed then is reported (STR-3014).
void RunObserved(DeviceMemory& memory, tensorflow::OpKernel* kernel, tensorflow::OpKernelContext* context,
                 absl::FunctionRef<void(const Mark&, OpRecord&)> run);

// `run` starts the op, which ends with the callback that it is given. What the op allocates belongs to no op: it may do
// so on several threads at once.
void RunObservedAsync(DeviceMemory& memory, tensorflow::AsyncOpKernel* kernel, tensorflow::OpKernelContext* context,
                      tensorflow::AsyncOpKernel::DoneCallback done,
                      absl::FunctionRef<void(tensorflow::AsyncOpKernel::DoneCallback)> run);

}  // namespace str::device

#endif  // STR_TF_PLUGIN_DEVICE_OBSERVED_OP_H_
