#include "tf_plugin/capture/capture_pass.h"

#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/synchronization/mutex.h"
#include "config/in_program.h"
#include "config/text_units.h"
#include "tf_plugin/capture/capture_files.h"
#include "tf_plugin/capture/copy_rates.h"
#include "tf_plugin/capture/graph_description.h"
#include "tf_plugin/capture/step_profile.h"
#include "tf_plugin/device/device_memories.h"
#include "tf_plugin/device/marked_graph.h"
#include "tf_plugin/graph/op_facts.h"
#include "tf_plugin/messages.h"

namespace str::capture {
namespace {

using tensorflow::Node;
using tensorflow::OpKernelContext;

// Later steps are run, but not measured: their medians would not change.
constexpr int kStepsMeasured = 6;

void SayNotCaptured(const absl::Status& status) {
  SayOnce("STR-3003", absl::StrCat("captured graph not written: ", status.message()));
}

void SayCaptured(const config::GraphFile& graph, const absl::StatusOr<std::string>& path) {
  if (!path.ok()) {
    SayNotCaptured(path.status());
    return;
  }
  SayOnce("STR-3002", absl::StrCat("captured ", graph.name(), ": ", graph.node_size(), " nodes, fingerprint ",
                                   graph.fingerprint(), ", to ", *path));
}

// Reports the memory that no plan can change.
void SayLoops(const config::GraphFile& graph) {
  if (graph.loop().empty()) return;
  std::vector<std::string> loops;
  for (const config::LoopMemory& loop : graph.loop()) {
    loops.push_back(absl::StrCat("'", loop.name(), "' ", config::FormatBytes(loop.bytes())));
  }
  SayOnce(
      "STR-3005",
      absl::StrCat("the memory of loops is not planned, the rest of the graph is. Most bytes that each loop holds: ",
                   absl::StrJoin(loops, ", "), ". Graph ", graph.fingerprint()));
}

// Ops inside of loops get the indices behind `nodes`, one for each loop that is in no other, in the order of
// GraphFile::loop: their memory is counted.
void MarkLoops(const graph::GraphView& view, int nodes) {
  for (Node* node : view.order) {
    const int loop = graph::OutermostLoop(view.control_flow, *node);
    if (loop >= 0 && !node->IsControlFlow() && !graph::IsNeverComputed(*node)) {
      device::MarkNode(node, view.fingerprint, nodes + loop);
    }
  }
}

// Collects a StepProfile while the graph runs, and hands the graph over after each measured step: whenever the process
// ends, what was measured until then is there.
class CaptureObserver : public device::GraphObserver {
 public:
  CaptureObserver(config::GraphFile description, std::vector<int> marked, int nodes, CaptureSink sink)
      : description_(std::move(description)),
        marked_(std::move(marked)),
        nodes_(nodes),
        sink_(std::move(sink)),
        profile_(nodes) {}

  absl::Mutex* OneAtATime() override { return &one_at_a_time_; }
  bool WantsTimes() const override { return true; }

  void Starting(int index, OpKernelContext& context, device::OpRecord& op) override {
    op.in_marked_graph = index < nodes_;
    if (index >= nodes_) op.loop = index - nodes_;
    absl::MutexLock lock(&mutex_);
    if (context.step_id() != step_id_) {
      // A node that TensorFlow left out keeps a step from completing by count.
      if (measuring_ && finished_ > 0) CompleteStep();
      step_id_ = context.step_id();
      measuring_ = profile_.steps() < kStepsMeasured;
      finished_ = 0;
      inputs_.clear();
      if (measuring_) memory_step_ = memory()->BeginStep();
    }
    if (measuring_ && index < nodes_) inputs_[&context] = SeeInputs(context);
  }

  void Finished(int index, OpKernelContext& context, const device::OpRecord& op, int64_t elapsed_ns) override {
    absl::MutexLock lock(&mutex_);
    // A step that fails is not measured, wherever it fails: also inside of a loop.
    if (!context.status().ok() || !op.out_of_memory.empty()) measuring_ = false;
    if (measuring_ && !op.timing_error.empty()) {
      measuring_ = false;
      SayNotMeasured(absl::StrCat("the timer of ", description_.device(), " failed: ", op.timing_error));
    }
    const auto inputs = inputs_.find(&context);
    if (inputs == inputs_.end()) return;
    const std::vector<InputSeen> seen = std::move(inputs->second);
    inputs_.erase(inputs);
    if (!measuring_) return;
    profile_.AddOp(index, context, seen, op, elapsed_ns);
    if (++finished_ == nodes_) CompleteStep();
  }

  void StepFailed() override {
    absl::MutexLock lock(&mutex_);
    measuring_ = false;
  }

 private:
  // Of the device that the graph runs on. It is there: only STR's own devices report their ops here.
  device::DeviceMemory* memory() const { return device::FindDeviceMemory(description_.device()); }

  void CompleteStep() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    measuring_ = false;
    const std::optional<device::StepMemory> memory = this->memory()->EndStep(memory_step_);
    if (!memory.has_value()) {
      SayNotMeasured("another captured graph ran at the same time");
      return;
    }
    profile_.AddStep(*memory);
    config::GraphFile graph = description_;
    if (absl::Status status = profile_.Complete(marked_, graph); !status.ok()) {
      SayNotCaptured(status);
      return;
    }
    SetCopyRates(graph);
    sink_(graph);
    if (profile_.steps() == 1) SayLoops(graph);
  }

  void SayNotMeasured(const std::string& why) const {
    SayOnce("STR-3003", absl::StrCat("a step of ", description_.name(), " (", description_.fingerprint(),
                                     ") is not measured: ", why));
  }

  const config::GraphFile description_;
  const std::vector<int> marked_;
  const int nodes_;
  const CaptureSink sink_;
  absl::Mutex one_at_a_time_;
  absl::Mutex mutex_;
  int64_t step_id_ ABSL_GUARDED_BY(mutex_) = -1;
  bool measuring_ ABSL_GUARDED_BY(mutex_) = false;
  uint64_t memory_step_ ABSL_GUARDED_BY(mutex_) = 0;
  // Nodes of this step that are done.
  int finished_ ABSL_GUARDED_BY(mutex_) = 0;
  std::map<const OpKernelContext*, std::vector<InputSeen>> inputs_ ABSL_GUARDED_BY(mutex_);
  StepProfile profile_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace

CaptureSink WriteTo(const std::string& directory) {
  return [directory](const config::GraphFile& graph) { SayCaptured(graph, WriteCapture(graph, directory)); };
}

void CaptureByRunning(const graph::GraphView& view, const std::string& name, const std::string& device,
                      CaptureSink sink) {
  std::vector<int> marked(view.order.size(), -1);
  int nodes = 0;
  for (size_t i = 0; i < view.order.size(); ++i) {
    Node* const node = view.order[i];
    // Of what is not computed there is nothing to measure, and nothing to wait for.
    if (!config::InProgram(view.recompute[node->id()]) || graph::IsNeverComputed(*node)) continue;
    marked[i] = nodes;
    device::MarkNode(node, view.fingerprint, nodes++);
  }
  MarkLoops(view, nodes);
  // A function that is traced again to the same graph goes on with the same profile.
  if (device::FindObserver(view.fingerprint) != nullptr) return;
  device::SetObserver(view.fingerprint, std::make_shared<CaptureObserver>(DescribeGraph(view, name, device),
                                                                          std::move(marked), nodes, std::move(sink)));
}

absl::Status CaptureWithoutRunning(const graph::GraphView& view, const std::string& name, const std::string& device,
                                   const std::string& directory) {
  config::GraphFile graph = DescribeGraph(view, name, device);
  if (absl::Status status = FillBytesFromShapes(view, graph); !status.ok()) return status;
  const absl::StatusOr<std::string> path = WriteCapture(graph, directory);
  SayCaptured(graph, path);
  if (!path.ok()) return path.status();
  return absl::CancelledError(absl::StrCat("STR_CAPTURE_ONLY: the graph is in ", *path, "; the step was not run"));
}

}  // namespace str::capture
