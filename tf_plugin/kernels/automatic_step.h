// File: automatic_step.h
//
// A training step that is planned when it is about to run.
//
// The op StrAutomaticStep(args) -> results stands for the whole step, as StrStep does. Before its first run the sizes of
// its arguments may be unknown, the batch size above all; then they are known, and a StepMaker makes a planned step for
// them. It is used again for every later run with the same sizes, and with smaller ones.
#ifndef STR_TF_PLUGIN_KERNELS_AUTOMATIC_STEP_H_
#define STR_TF_PLUGIN_KERNELS_AUTOMATIC_STEP_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/framework/tensor_shape.h"
#include "tf_plugin/kernels/planned_step.h"

namespace str::kernels {

inline constexpr char kAutomaticStep[] = "StrAutomaticStep";

class StepMaker {
 public:
  virtual ~StepMaker() = default;

  struct Made {
    std::shared_ptr<const PlannedStep> step;
    // The step is for this run alone: the next one asks again.
    bool once = false;
  };

  // Arguments whose sizes differ from run to run.
  virtual const std::vector<int>& sized_arguments() const = 0;
  // Called by one thread at a time, and blocks: for seconds where a plan has to be found. An error fails the step.
  virtual absl::StatusOr<Made> Make(tensorflow::OpKernelContext& context) = 0;
};

// Whether a plan for arguments of the sizes `planned` holds for `sizes`: the same number of dimensions, none larger.
bool Covers(const std::vector<tensorflow::TensorShape>& planned, const std::vector<tensorflow::TensorShape>& sizes);

// For the op's kernel (step_registry.h).
void AddStepMaker(const std::string& name, std::shared_ptr<StepMaker> maker);
std::shared_ptr<StepMaker> FindStepMaker(const std::string& name);

}  // namespace str::kernels

#endif  // STR_TF_PLUGIN_KERNELS_AUTOMATIC_STEP_H_
