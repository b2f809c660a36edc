#include "tf_plugin/kernels/planned_step.h"

#include <iterator>
#include <unordered_map>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "tensorflow/core/framework/common_shape_fns.h"
#include "tensorflow/core/framework/op.h"

namespace str::kernels {
namespace {

struct Entry {
  // Null once a kernel has the step.
  std::shared_ptr<const PlannedStep> until_built;
  std::weak_ptr<const PlannedStep> step;
};

struct Steps {
  absl::Mutex mutex;
  std::unordered_map<std::string, Entry> by_name ABSL_GUARDED_BY(mutex);
};

void RemoveEnded(Steps& all) ABSL_EXCLUSIVE_LOCKS_REQUIRED(all.mutex) {
  for (auto entry = all.by_name.begin(); entry != all.by_name.end();) {
    entry = entry->second.step.expired() ? all.by_name.erase(entry) : std::next(entry);
  }
}

Steps& AllSteps() {
  static Steps* const steps = new Steps;
  return *steps;
}

}  // namespace

void AddPlannedStep(const std::string& name, std::shared_ptr<const PlannedStep> step) {
  Steps& all = AllSteps();
  absl::MutexLock lock(&all.mutex);
  RemoveEnded(all);
  Entry& entry = all.by_name[name];
  entry.step = step;
  entry.until_built = std::move(step);
}

std::shared_ptr<const PlannedStep> FindPlannedStep(const std::string& name) {
  Steps& all = AllSteps();
  absl::MutexLock lock(&all.mutex);
  const auto found = all.by_name.find(name);
  if (found == all.by_name.end()) return nullptr;
  std::shared_ptr<const PlannedStep> step = found->second.step.lock();
  found->second.until_built.reset();
  return step;
}

int CountPlannedSteps() {
  Steps& all = AllSteps();
  absl::MutexLock lock(&all.mutex);
  RemoveEnded(all);
  return static_cast<int>(all.by_name.size());
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
