#include "config/instances.h"

#include "absl/strings/str_cat.h"
#include "config/step_text.h"
#include "config/tensor_name.h"

namespace str::config {

absl::StatusOr<Instances::Tensor*> Instances::Find(absl::string_view tensor) {
  const absl::StatusOr<TensorName> name = ParseTensorName(tensor);
  if (!name.ok()) return name.status();
  const auto node = runs_.find(name->node);
  if (node == runs_.end()) {
    return absl::InvalidArgumentError(absl::StrCat("node \"", name->node, "\" has not been run before"));
  }
  Tensor& entry = tensors_[tensor];
  if (entry.runs != node->second) {
    entry.runs = node->second;
    ++entry.newest;
    entry.let_go = false;
  }
  return &entry;
}

absl::Status Instances::Apply(const Step& step) {
  const absl::string_view target = StepTarget(step);
  switch (step.action_case()) {
    case Step::ACTION_NOT_SET:
      return absl::InvalidArgumentError("has no action: one of run, rerun, swap_out, swap_out_wait, swap_in");
    case Step::kRun:
      if (target.empty()) return absl::InvalidArgumentError("names no node");
      if (!runs_.emplace(target, 1).second) {
        return absl::InvalidArgumentError("the node was run before; a second time is a rerun");
      }
      return absl::OkStatus();
    case Step::kRerun: {
      const auto node = runs_.find(target);
      if (node == runs_.end()) return absl::InvalidArgumentError("the node has not been run before");
      ++node->second;
      return absl::OkStatus();
    }
    default:
      break;
  }
  const absl::StatusOr<Tensor*> found = Find(target);
  if (!found.ok()) return found.status();
  Tensor& tensor = **found;
  switch (step.action_case()) {
    case Step::kSwapOut:
      if (tensor.copying_out != 0) {
        return absl::InvalidArgumentError("an earlier swap_out of the tensor is still open; wait for it first");
      }
      if (tensor.let_go) {
        return absl::InvalidArgumentError("the tensor is not on the device: it was swapped out and not brought back");
      }
      tensor.copying_out = tensor.newest;
      tensor.on_host = true;
      break;
    case Step::kSwapOutWait:
      if (tensor.copying_out == 0) return absl::InvalidArgumentError("no swap_out of the tensor is open");
      if (tensor.copying_out == tensor.newest) tensor.let_go = true;
      tensor.copying_out = 0;
      break;
    default:
      if (!tensor.on_host) return absl::InvalidArgumentError("the tensor has not been swapped out before");
      ++tensor.newest;
      tensor.let_go = false;
      break;
  }
  return absl::OkStatus();
}

bool Instances::OnHostOnly(absl::string_view tensor) const {
  const auto entry = tensors_.find(tensor);
  if (entry == tensors_.end() || !entry->second.let_go) return false;
  const absl::StatusOr<TensorName> name = ParseTensorName(tensor);
  const auto node = runs_.find(name->node);
  return entry->second.runs == node->second;
}

}  // namespace str::config
