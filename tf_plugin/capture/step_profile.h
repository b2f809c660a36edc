// File: step_profile.h
//
// What a marked graph did in the steps that were measured: time, bytes and buffer sharing of every node. Fills in the
// parts of a graph file that only a run can tell.
#ifndef STR_TF_PLUGIN_CAPTURE_STEP_PROFILE_H_
#define STR_TF_PLUGIN_CAPTURE_STEP_PROFILE_H_

#include <cstdint>
#include <set>
#include <vector>

#include "absl/status/status.h"
#include "config/graph.pb.h"
#include "tensorflow/core/framework/op_kernel.h"
#include "tf_plugin/device/current_op.h"
#include "tf_plugin/device/device_memory.h"

namespace str::capture {

// One input before its op ran.
struct InputSeen {
  const void* buffer = nullptr;
  int64_t bytes = 0;
  // Nobody else held the buffer, so the kernel was free to take it over.
  bool sole_holder = false;
};

std::vector<InputSeen> SeeInputs(tensorflow::OpKernelContext& context);

class StepProfile {
 public:
  explicit StepProfile(int nodes) : nodes_(nodes) {}

  void AddOp(int index, tensorflow::OpKernelContext& context, const std::vector<InputSeen>& inputs,
             const device::OpRecord& op, int64_t elapsed_ns);
  void AddStep(const device::StepMemory& memory) { steps_.push_back(memory); }
  int steps() const { return static_cast<int>(steps_.size()); }

  // Completes `graph`, whose node i is the one marked with index `marked[i]`, or -1.
  // Fails if what was seen contradicts the graph.
  absl::Status Complete(const std::vector<int>& marked, config::GraphFile& graph) const;

 private:
  struct OutputSeen {
    int64_t bytes = 0;
    bool seen = false;
    // Allocated by the op itself in some step.
    bool allocated = false;
    // Shared with an input that others still held: a view.
    int view_of = -1;
    // Taken over from these inputs; not taken over although it could be.
    std::set<int> forwarded;
    std::set<int> not_forwarded;
  };
  struct NodeSeen {
    std::vector<int64_t> times_ns;
    int64_t temporary_bytes = 0;
    // Among all ops that were seen, in the order of their completion; -1: never seen.
    int64_t position = -1;
    std::vector<OutputSeen> outputs;
  };

  std::vector<NodeSeen> nodes_;
  int64_t next_position_ = 0;
  std::vector<device::StepMemory> steps_;
};

}  // namespace str::capture

#endif  // STR_TF_PLUGIN_CAPTURE_STEP_PROFILE_H_
