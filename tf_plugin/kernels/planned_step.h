// File: planned_step.h
//
// A training step that can be run in two ways: as planned, or as TensorFlow made it.
//
// The op StrStep(args) -> results stands for the whole step. It runs the planned body as a function, asks the guard
// whether the step did what the program says, and fails the step if not. From then on it runs the plain body, so that
// one bad plan costs one step; with `strict` it fails every later step instead. A body is built when it is first run:
// the plain one costs nothing while the plan holds.
//
// Why a function and not the graph itself: a pass sees each graph once, before its first step. What runs can only be
// exchanged later if the graph refers to it by name.
#ifndef STR_TF_PLUGIN_KERNELS_PLANNED_STEP_H_
#define STR_TF_PLUGIN_KERNELS_PLANNED_STEP_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "tensorflow/core/framework/function.h"
#include "tensorflow/core/framework/tensor.h"

namespace str::kernels {

inline constexpr char kStep[] = "StrStep";
inline constexpr char kStepNameAttr[] = "step";
// Op at the end of the planned body's chain. Stateful, so that TensorFlow prunes nothing that it waits for.
inline constexpr char kChainEnd[] = "StrChainEnd";

// Told about every run of the planned body. Thread-safe; a function may be run by several threads at once, each run has
// an id of its own.
class StepGuard {
 public:
  virtual ~StepGuard() = default;
  virtual void Begin(int64_t step_id) = 0;
  // A result of the step, while it runs.
  virtual void Result(int64_t step_id, int index, const tensorflow::Tensor& value) = 0;
  // The body ran without an error: did it do what was planned? An error fails the step.
  // `delivered`: by result, whether it got a value.
  virtual absl::Status End(int64_t step_id, const std::vector<bool>& delivered) = 0;
  // The body failed with `status`. Returns the error of the step: `status` itself, or another one if the plan was
  // broken before.
  virtual absl::Status Abandon(int64_t step_id, const absl::Status& status) = 0;
  // TensorFlow could not build the planned body: it will not run. Returns the error of all steps if `strict`.
  virtual absl::Status NotBuilt(const absl::Status& status) = 0;
};

struct PlannedStep {
  // Holds both bodies and whatever they call.
  std::unique_ptr<tensorflow::FunctionLibraryDefinition> library;
  std::string planned_body;
  std::string plain_body;
  std::shared_ptr<StepGuard> guard;
  bool strict = false;
};

// For the op's kernel (step_registry.h).
void AddPlannedStep(const std::string& name, std::shared_ptr<const PlannedStep> step);
std::shared_ptr<const PlannedStep> FindPlannedStep(const std::string& name);
int CountPlannedSteps();

}  // namespace str::kernels

#endif  // STR_TF_PLUGIN_KERNELS_PLANNED_STEP_H_
