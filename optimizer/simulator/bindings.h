// Which instance of a tensor each step of a program takes, and how often each instance is taken: known before the
// first byte is accounted for, because an instance is freed after the last step that takes it.
//
// An instance is one coming into being of a tensor: by the run of its node, by a rerun, or by a swap_in. A step takes
// the newest. Reused from program to program; after the first few no memory is allocated. Not thread-safe.
#ifndef STR_OPTIMIZER_SIMULATOR_BINDINGS_H_
#define STR_OPTIMIZER_SIMULATOR_BINDINGS_H_

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "optimizer/graph/graph.h"
#include "optimizer/simulator/program.h"

namespace str::optimizer {

class Bindings {
 public:
  // The graph must outlive this.
  explicit Bindings(const Graph* graph);

  // InvalidArgument, naming the step, if the program takes what is not there, runs a node twice or never, or reruns
  // one that must not be.
  absl::Status Bind(const Program& program);

  // A swap_out and what comes of it, on the host or on a disk.
  struct HostCopy {
    TensorId tensor = kNone;
    int32_t instance = kNone;
    // The last swap_in that reads it; kNone: it stays to the end.
    int32_t last_swap_in = kNone;
    Tier tier = Tier::kHost;
  };

  // Of the last program bound. All instances are numbered; those of tensors that nodes outside the program make come
  // first, one each.
  int instances() const { return static_cast<int>(references_.size()); }
  // How often the instance is taken, holders outside the program included: they never let go.
  int32_t references(int32_t instance) const { return references_[instance]; }
  // For a step that computes: the instances of its inputs, in order. For a swap_out or swap_out_wait: one.
  const int32_t* taken(int step) const { return taken_.data() + first_taken_[step]; }
  // For a step that computes or swaps in: the first of the instances that it makes.
  int32_t made(int step) const { return made_[step]; }
  // For the three swap actions: index into host_copies().
  int32_t copy(int step) const { return copy_[step]; }
  const std::vector<HostCopy>& host_copies() const { return host_copies_; }
  bool uses_disk() const { return uses_disk_; }

 private:
  absl::Status BindCompute(const Program& program, int step);
  absl::Status BindSwap(const Program& program, int step);
  absl::Status Error(const Program& program, int step, absl::string_view what) const;

  const Graph& graph_;
  int outside_instances_ = 0;
  // Per tensor, before the first step.
  std::vector<int32_t> first_newest_;

  std::vector<int32_t> newest_;
  // The newest instance was handed to the host by a swap_out_wait: nobody may take it any more.
  std::vector<int8_t> let_go_;
  // The copy of an open swap_out, and the latest copy on the host; kNone: none.
  std::vector<int32_t> open_copy_, latest_copy_;
  std::vector<int8_t> has_run_;

  std::vector<int32_t> references_;
  std::vector<int32_t> first_taken_, taken_, made_, copy_;
  std::vector<HostCopy> host_copies_;
  bool uses_disk_ = false;
};

}  // namespace str::optimizer

#endif  // STR_OPTIMIZER_SIMULATOR_BINDINGS_H_
