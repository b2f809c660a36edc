// File: probe_input_op.h
//
// The op StrProbeInput stands for an input of an op that is measured by itself (op_probe.h): a tensor of zeros.
#ifndef STR_TF_PLUGIN_AUTOMATIC_PROBE_INPUT_OP_H_
#define STR_TF_PLUGIN_AUTOMATIC_PROBE_INPUT_OP_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "tensorflow/core/framework/tensor.h"

namespace str::automatic {

inline constexpr char kProbeInput[] = "StrProbeInput";
inline constexpr char kProbeNameAttr[] = "probe";
inline constexpr char kMayBeHeldAttr[] = "may_be_held";

// Whether somebody else holds the inputs of the op that is measured. A kernel takes over the buffer of an input that it
// alone holds, and an output that shares the buffer of one that others hold is a view: both have to be seen.
// Thread-safe.
class ProbeInputs {
 public:
  void HoldThem(bool hold);
  void Made(const tensorflow::Tensor& input);
  void OpEnded();

 private:
  absl::Mutex mutex_;
  bool hold_ ABSL_GUARDED_BY(mutex_) = false;
  std::vector<tensorflow::Tensor> held_ ABSL_GUARDED_BY(mutex_);
};

// For the kernels of the probe called `name`, of which there is one in the process.
void AddProbeInputs(const std::string& name, std::shared_ptr<ProbeInputs> inputs);
void RemoveProbeInputs(const std::string& name);

}  // namespace str::automatic

#endif  // STR_TF_PLUGIN_AUTOMATIC_PROBE_INPUT_OP_H_
