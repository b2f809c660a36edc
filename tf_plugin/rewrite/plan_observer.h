// File: plan_observer.h
//
// A rewritten graph while it runs: gives every op the places planned for its memory, and sees to it that a step is
// either what was planned or an error. What is checked, and when:
//
//   every step    each node of the program ran once, in order, to the end of the chain        STR-4001
//   every step    each result that the original graph always delivers was delivered           STR-4002
//   first step    values: see value_check.h; left out with STR_VERIFY=0                        STR-4004
//   first step    memory: something was placed; at least half of the predicted peak was        STR-4003
//                 reached; the step itself kept the budget
//   later steps   the budget is kept, or it is said once                                      STR-3012
//
// A first step that passes is reported (STR-3001). Where a step calls the function several times at once, nodes of all
// calls are counted together, and each call's results are checked; order, values and memory are not.
#ifndef STR_TF_PLUGIN_REWRITE_PLAN_OBSERVER_H_
#define STR_TF_PLUGIN_REWRITE_PLAN_OBSERVER_H_

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "config/strategy.pb.h"
#include "config/strategy_changes.h"
#include "tf_plugin/device/device_memory.h"
#include "tf_plugin/device/marked_graph.h"
#include "tf_plugin/kernels/planned_step.h"
#include "tf_plugin/rewrite/program_rewriter.h"
#include "tf_plugin/rewrite/run_check.h"
#include "tf_plugin/rewrite/value_check.h"

namespace str::rewrite {

// What a plan promises of a graph's steps.
struct PlanPromise {
  std::shared_ptr<const config::StrategyFile> strategy;
  std::vector<ProgramNode> nodes;
  // By result of the step: the original graph always delivers it.
  std::vector<bool> always_delivered;
  // By result of the step: the tensor that it is, "loss/value:0".
  std::vector<std::string> result_names;
  // Null: values are not compared.
  std::unique_ptr<const ProgramTensors> tensors;
  // Short name of the device whose memory is measured.
  std::string device = "CPU:0";
  // For the error that a broken promise becomes.
  bool strict = false;
};

class PlanObserver : public device::GraphObserver, public kernels::StepGuard {
 public:
  // Nodes are marked with the index of their program step.
  PlanObserver(PlanPromise promise, const RewriteResult& result);

  // As the device's observer: one op.
  void Starting(int index, tensorflow::OpKernelContext& context, device::OpRecord& op) override;
  void Finished(int index, tensorflow::OpKernelContext& context, const device::OpRecord& op,
                int64_t elapsed_ns) override;

  // As the step's guard: one step.
  void Begin(int64_t step_id) override;
  void Result(int64_t step_id, int index, const tensorflow::Tensor& value) override;
  absl::Status End(int64_t step_id, const std::vector<bool>& delivered) override;
  absl::Status Abandon(int64_t step_id, const absl::Status& status) override;
  absl::Status NotBuilt(const absl::Status& status) override;

 private:
  struct Step {
    explicit Step(const PlanPromise& promise) : runs(promise.nodes) {}
    RunCheck runs;
    std::optional<ValueCheck> values;
    // As copied out: shapes that are unknown before a step are known here.
    int64_t swapped_bytes = 0;
    int64_t disk_bytes = 0;
    uint64_t memory_step = 0;
    // Calls of the function with this id that are under way, and all of them: one, unless a step calls the function
    // several times at once. Which call a node ran for is then not known.
    int calls_under_way = 0;
    int calls = 0;
    // Some call failed: how often nodes have to run is then not known.
    bool failed = false;
  };
  using Steps = std::map<int64_t, Step>;
  // One call less; the step, if it was the last.
  Steps::node_type Leave(int64_t step_id) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  Step* Find(int64_t step_id) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // The error of a step that broke the promise.
  absl::Status Broken(const std::string& code, const std::string& what, const std::string& advice) const;
  // Null if the device is not STR's own: then memory is not measured.
  device::DeviceMemory* memory() const;
  std::optional<device::StepMemory> EndMemory(const Step& step) const;
  absl::Status CheckResults(const std::vector<bool>& delivered) const;
  absl::Status CheckMemory(const device::StepMemory& memory) const;
  // Of a later step, whose batch may be another than the first's.
  void SayIfLarger(const device::StepMemory& memory) const;
  // "41 recomputed, 27 swapped (…), 3 refused"
  std::string AppliedText(const Step& step) const;
  void Report(const Step& step, const std::optional<device::StepMemory>& memory) const;

  const PlanPromise promise_;
  const config::StrategyChanges changes_;
  // "1 refused [swap of 'x:0': tensors of type string cannot be copied as bytes]"
  const std::string refusals_;
  int64_t planned_places_ = 0;
  absl::Mutex mutex_;
  // Steps under way.
  Steps steps_ ABSL_GUARDED_BY(mutex_);
  // Values of a first step were compared, and it was reported.
  bool reported_ ABSL_GUARDED_BY(mutex_) = false;
  // Memory of a first step was measured and compared.
  bool memory_checked_ ABSL_GUARDED_BY(mutex_) = false;
};

}  // namespace str::rewrite

#endif  // STR_TF_PLUGIN_REWRITE_PLAN_OBSERVER_H_
