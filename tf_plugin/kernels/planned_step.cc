#include "tf_plugin/kernels/planned_step.h"

#include <utility>

#include "tensorflow/core/framework/common_shape_fns.h"
#include "tensorflow/core/framework/op.h"
#include "tf_plugin/kernels/step_registry.h"

namespace str::kernels {
namespace {

StepRegistry<const PlannedStep>& AllSteps() {
  static auto* const steps = new StepRegistry<const PlannedStep>;
  return *steps;
}

}  // namespace

void AddPlannedStep(const std::string& name, std::shared_ptr<const PlannedStep> step) {
  AllSteps().Add(name, std::move(step));
}

std::shared_ptr<const PlannedStep> FindPlannedStep(const std::string& name) { return AllSteps().Find(name); }

int CountPlannedSteps() { return AllSteps().Count(); }

REGISTER_OP("StrStep")
    .Input("args: Tin")
    .Output("results: Tout")
    .Attr("Tin: list(type) >= 0")
    .Attr("Tout: list(type) >= 0")
    .Attr("step: string")
    .SetIsStateful()
    .SetShapeFn(tensorflow::shape_inference::UnknownShape);

REGISTER_OP("StrChainEnd").SetIsStateful().SetShapeFn(tensorflow::shape_inference::NoOutputs);

}  // namespace str::kernels
