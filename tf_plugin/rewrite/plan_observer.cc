#include "tf_plugin/rewrite/plan_observer.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "config/text_units.h"
#include "tf_plugin/device/limited_device.h"
#include "tf_plugin/graph/op_facts.h"
#include "tf_plugin/messages.h"

namespace str::rewrite {
namespace {

std::string DescribeResult(const RewriteResult& result) {
  std::string text = absl::StrCat(
      result.recomputed_nodes, " recomputed, ", result.swapped_tensors, " swapped (",
      config::FormatBytes(result.swapped_bytes), " a step",
      result.disk_tensors > 0
          ? absl::StrCat(", of which ", result.disk_tensors, " to the disk, ", config::FormatBytes(result.disk_bytes))
          : "",
      "), ", result.refusals.size(), " refused");
  if (!result.refusals.empty()) absl::StrAppend(&text, " [", absl::StrJoin(result.refusals, "; "), "]");
  if (result.recomputed_nodes + result.swapped_tensors == 0) {
    absl::StrAppend(&text, "; WARNING: only the order of the nodes was changed");
  }
  return text;
}

}  // namespace

PlanObserver::PlanObserver(std::shared_ptr<const config::StrategyFile> strategy, const RewriteResult& result)
    : strategy_(std::move(strategy)), applied_(DescribeResult(result)) {
  for (size_t i = 0; i < result.nodes.size(); ++i) {
    const tensorflow::Node* const node = result.nodes[i];
    if (node != nullptr && !graph::IsNeverComputed(*node)) last_index_ = static_cast<int>(i);
  }
}

void PlanObserver::Starting(int index, tensorflow::OpKernelContext& context, device::OpRecord& op) {
  {
    absl::MutexLock lock(&mutex_);
    // Not by the first node: TensorFlow does not compute those that only hold a handle.
    if (context.step_id() != step_id_) {
      // The last node is not always computed: TensorFlow drops a rerun whose result nobody takes.
      if (in_step_) CompleteStep();
      step_id_ = context.step_id();
      in_step_ = true;
      device::SharedDeviceMemory()->BeginStep();
    }
  }
  op.places = &strategy_->step(index).place();
}

void PlanObserver::Finished(int index, tensorflow::OpKernelContext& context, const device::OpRecord& op, int64_t) {
  absl::MutexLock lock(&mutex_);
  // A step that failed is not reported.
  if (!context.status().ok() || !op.out_of_memory.empty()) in_step_ = false;
  if (index == last_index_ && in_step_) CompleteStep();
}

void PlanObserver::StepFailed() {
  absl::MutexLock lock(&mutex_);
  in_step_ = false;
}

void PlanObserver::CompleteStep() {
  in_step_ = false;
  const device::StepMemory memory = device::SharedDeviceMemory()->EndStep();
  if (said_) return;
  said_ = true;
  Say("STR-3001",
      absl::StrCat("applied: ", applied_, ". Predicted peak ", config::FormatBytes(strategy_->predicted_peak_bytes()),
                   ", measured ", config::FormatBytes(memory.peak_bytes), ", of which outside of the step ",
                   config::FormatBytes(memory.external_bytes), " (planned ",
                   config::FormatBytes(strategy_->external_bytes()), "). ", memory.placed,
                   " allocations placed as planned, ", memory.misplaced, " elsewhere. Graph ",
                   strategy_->graph_fingerprint(), "."));
}

}  // namespace str::rewrite
