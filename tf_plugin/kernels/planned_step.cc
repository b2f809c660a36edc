#include "tf_plugin/kernels/planned_step.h"

#include <unordered_map>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "tensorflow/core/framework/common_shape_fns.h"
#include "tensorflow/core/framework/op.h"

namespace str::kernels {
namespace {

struct Steps {
  absl::Mutex mutex;
  std::unordered_map<std::string, std::shared_ptr<const PlannedStep>> by_name ABSL_GUARDED_BY(mutex);
};

Steps& AllSteps() {
  static Steps* const steps = new Steps;
  return *steps;
}

}  // namespace

void AddPlannedStep(const std::string& name, std::shared_ptr<const PlannedStep> step) {
  Steps& all = AllSteps();
  absl::MutexLock lock(&all.mutex);
  all.by_name[name] = std::move(step);
}

std::shared_ptr<const PlannedStep> FindPlannedStep(const std::string& name) {
  Steps& all = AllSteps();
  absl::MutexLock lock(&all.mutex);
  const auto found = all.by_name.find(name);
  return found == all.by_name.end() ? nullptr : found->second;
}

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
