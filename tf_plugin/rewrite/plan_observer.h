// File: plan_observer.h
//
// A rewritten graph while it runs: gives every op the places planned for its memory, and after the first step says what
// was done, what was predicted and what was measured.
#ifndef STR_TF_PLUGIN_REWRITE_PLAN_OBSERVER_H_
#define STR_TF_PLUGIN_REWRITE_PLAN_OBSERVER_H_

#include <cstdint>
#include <memory>
#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "config/strategy.pb.h"
#include "tf_plugin/device/device_memory.h"
#include "tf_plugin/device/marked_graph.h"
#include "tf_plugin/rewrite/program_rewriter.h"

namespace str::rewrite {

class PlanObserver : public device::GraphObserver {
 public:
  // Nodes are marked with the index of their program step.
  PlanObserver(std::shared_ptr<const config::StrategyFile> strategy, const RewriteResult& result);

  void Starting(int index, tensorflow::OpKernelContext& context, device::OpRecord& op) override;
  void Finished(int index, tensorflow::OpKernelContext& context, const device::OpRecord& op,
                int64_t elapsed_ns) override;

  void StepFailed() override;

 private:
  // Says, the first time, what was done.
  void CompleteStep() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const std::shared_ptr<const config::StrategyFile> strategy_;
  int last_index_ = 0;
  // "41 recomputed, 27 swapped (…), 3 refused"
  std::string applied_;
  absl::Mutex mutex_;
  int64_t step_id_ ABSL_GUARDED_BY(mutex_) = -1;
  bool in_step_ ABSL_GUARDED_BY(mutex_) = false;
  bool said_ ABSL_GUARDED_BY(mutex_) = false;
};

}  // namespace str::rewrite

#endif  // STR_TF_PLUGIN_REWRITE_PLAN_OBSERVER_H_
