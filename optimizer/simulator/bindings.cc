#include "optimizer/simulator/bindings.h"

#include "absl/strings/str_cat.h"

namespace str::optimizer {

Bindings::Bindings(const Graph* graph) : graph_(*graph), first_newest_(graph->tensor_count(), kNone) {
  for (TensorId tensor = 0; tensor < graph->tensor_count(); ++tensor) {
    if (!graph->node(graph->tensor(tensor).node).in_program) first_newest_[tensor] = outside_instances_++;
  }
}

absl::Status Bindings::Error(const Program& program, int step, absl::string_view what) const {
  return absl::InvalidArgumentError(absl::StrCat(StepName(graph_, program, step), ": ", what));
}

absl::Status Bindings::Bind(const Program& program) {
  newest_ = first_newest_;
  let_go_.assign(graph_.tensor_count(), 0);
  open_copy_.assign(graph_.tensor_count(), kNone);
  latest_copy_.assign(graph_.tensor_count(), kNone);
  has_run_.assign(graph_.node_count(), 0);
  references_.assign(outside_instances_, 0);
  first_taken_.clear();
  taken_.clear();
  made_.assign(program.size(), kNone);
  copy_.assign(program.size(), kNone);
  host_copies_.clear();
  uses_disk_ = false;
  int runs = 0;
  const int steps = static_cast<int>(program.size());
  for (int step = 0; step < steps; ++step) {
    first_taken_.push_back(static_cast<int32_t>(taken_.size()));
    runs += program[step].action == Action::kRun;
    absl::Status status = Computes(program[step].action) ? BindCompute(program, step) : BindSwap(program, step);
    if (!status.ok()) return status;
  }
  if (runs == graph_.program_nodes()) return absl::OkStatus();
  for (NodeId node = 0; node < graph_.node_count(); ++node) {
    if (graph_.node(node).in_program && !has_run_[node]) {
      return absl::InvalidArgumentError(absl::StrCat("node \"", graph_.name(node), "\" is never run"));
    }
  }
  return absl::OkStatus();
}

absl::Status Bindings::BindCompute(const Program& program, int step) {
  const NodeId id = program[step].id;
  const Node& node = graph_.node(id);
  const bool first = program[step].action == Action::kRun;
  if (first) {
    if (has_run_[id]) return Error(program, step, "the node was run before; a second time is a rerun");
    if (!node.in_program) return Error(program, step, "TensorFlow runs this node by itself; it is not in a program");
    has_run_[id] = 1;
  } else {
    if (!has_run_[id]) return Error(program, step, "the node has not been run before");
    if (!node.MayRerun()) {
      return Error(program, step,
                   absl::StrCat("the node must not be run again: ", config::Recompute_Name(node.recompute)));
    }
  }
  for (TensorId input : graph_.inputs(id)) {
    const int32_t instance = newest_[input];
    if (instance == kNone || let_go_[input]) {
      return Error(program, step,
                   absl::StrCat("takes \"", graph_.TensorName(input),
                                instance == kNone ? "\", which has not been made yet"
                                                  : "\", which was swapped out and not brought back"));
    }
    ++references_[instance];
    taken_.push_back(instance);
  }
  made_[step] = instances();
  for (int i = 0; i < node.outputs; ++i) {
    const TensorId tensor = node.first_tensor + i;
    newest_[tensor] = instances();
    let_go_[tensor] = 0;
    references_.push_back(first ? graph_.tensor(tensor).outside_uses : 0);
  }
  return absl::OkStatus();
}

absl::Status Bindings::BindSwap(const Program& program, int step) {
  const TensorId tensor = program[step].id;
  const int32_t instance = newest_[tensor];
  switch (program[step].action) {
    case Action::kSwapOut:
      if (open_copy_[tensor] != kNone) {
        return Error(program, step, "an earlier swap_out of the tensor is still open; wait for it first");
      }
      if (instance == kNone || let_go_[tensor]) return Error(program, step, "the tensor is not on the device");
      ++references_[instance];
      taken_.push_back(instance);
      copy_[step] = static_cast<int32_t>(host_copies_.size());
      open_copy_[tensor] = latest_copy_[tensor] = copy_[step];
      host_copies_.push_back({tensor, instance, kNone, program[step].tier});
      uses_disk_ = uses_disk_ || program[step].tier == Tier::kDisk;
      return absl::OkStatus();
    case Action::kSwapOutWait: {
      if (open_copy_[tensor] == kNone) return Error(program, step, "no swap_out of the tensor is open");
      copy_[step] = open_copy_[tensor];
      open_copy_[tensor] = kNone;
      const int32_t copied = host_copies_[copy_[step]].instance;
      taken_.push_back(copied);
      if (copied == instance) let_go_[tensor] = 1;
      return absl::OkStatus();
    }
    default:
      if (latest_copy_[tensor] == kNone) return Error(program, step, "the tensor has not been swapped out before");
      copy_[step] = latest_copy_[tensor];
      host_copies_[copy_[step]].last_swap_in = step;
      made_[step] = instances();
      newest_[tensor] = instances();
      let_go_[tensor] = 0;
      references_.push_back(0);
      return absl::OkStatus();
  }
}

}  // namespace str::optimizer
