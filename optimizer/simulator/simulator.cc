#include "optimizer/simulator/simulator.h"

#include <algorithm>

namespace str::optimizer {
namespace {

// Buffer 0 stands for everything that is there from the start to the end; then come the variables.
constexpr int32_t kOutsideBuffer = 0;
constexpr int32_t kFirstVariableBuffer = 1;

}  // namespace

Simulator::Simulator(const Graph* graph, const Costs* costs)
    : graph_(*graph), costs_(*costs), bindings_(graph), start_bytes_(graph->external_bytes()) {
  for (TensorId id = 0; id < graph_.tensor_count(); ++id) {
    const Tensor& tensor = graph_.tensor(id);
    if (graph_.node(tensor.node).in_program || tensor.external || tensor.view_of != kNone) continue;
    start_bytes_ += tensor.rounded_bytes;
  }
}

absl::Status Simulator::Run(const Program& program, const SimulationDetail& detail, Simulation* result) {
  if (absl::Status status = bindings_.Bind(program); !status.ok()) return status;
  if (!bindings_.host_copies().empty()) {
    if (absl::Status status = RequireCopyRates(costs_); !status.ok()) return status;
  }
  if (bindings_.uses_disk()) {
    if (absl::Status status = RequireDiskRates(costs_); !status.ok()) return status;
  }
  result_ = result;
  Start(detail);
  const int steps = static_cast<int>(program.size());
  if (detail.profile) {
    result->profile.resize(steps);
    result->held.resize(steps);
  }
  if (detail.timeline) result->timeline.resize(steps);
  for (int index = 0; index < steps; ++index) {
    const Step& step = program[index];
    switch (step.action) {
      case Action::kRun:
      case Action::kRerun:
        Compute(step, index);
        break;
      case Action::kSwapOut:
        SwapOut(step, index);
        break;
      case Action::kSwapOutWait:
        SwapOutWait(index);
        break;
      case Action::kSwapIn:
        SwapIn(step, index);
        break;
    }
    if (detail.profile) result->held[index] = in_use_;
  }
  Finish(steps);
  return absl::OkStatus();
}

void Simulator::Start(const SimulationDetail& detail) {
  detail_ = detail;
  result_->peak_bytes = 0;
  result_->peak_step = 0;
  result_->host_peak_bytes = result_->disk_peak_bytes = 0;
  result_->allocations.clear();
  result_->live.clear();
  in_use_ = start_bytes_;
  host_bytes_ = disk_bytes_ = 0;
  now_ = out_free_ = in_free_ = 0;
  buffers_.clear();
  Buffer outside;
  outside.external = outside.permanent = true;
  buffers_.push_back(outside);
  variable_buffer_.resize(graph_.variable_count());
  for (int variable = 0; variable < graph_.variable_count(); ++variable) {
    outside.bytes = graph_.variable_bytes(variable);
    variable_buffer_[variable] = kFirstVariableBuffer + variable;
    buffers_.push_back(outside);
  }
  buffer_of_.assign(bindings_.instances(), kOutsideBuffer);
  arrival_.assign(bindings_.host_copies().empty() ? 0 : bindings_.instances(), 0);
  copy_done_.assign(bindings_.host_copies().size(), 0);
}

void Simulator::Mark(int index, int64_t extra) {
  const int64_t bytes = in_use_ + extra;
  if (bytes > result_->peak_bytes) {
    result_->peak_bytes = bytes;
    result_->peak_step = index;
  }
  if (detail_.profile) result_->profile[index] = bytes;
  if (detail_.live_at_step != index) return;
  for (const Buffer& buffer : buffers_) {
    if (buffer.live && !buffer.external) result_->live.push_back({buffer.tensor, buffer.bytes});
  }
  if (extra > 0) result_->live.push_back({kNone, extra});
}

int32_t Simulator::Allocate(int64_t bytes, TensorId tensor, Allocation::Kind kind, int index) {
  in_use_ += bytes;
  Buffer buffer;
  buffer.bytes = bytes;
  buffer.tensor = tensor;
  if (detail_.allocations) {
    buffer.allocation = static_cast<int32_t>(result_->allocations.size());
    result_->allocations.push_back({kind, false, index, index, tensor, bytes});
  }
  buffers_.push_back(buffer);
  return static_cast<int32_t>(buffers_.size()) - 1;
}

void Simulator::FreeIfUnused(int32_t id, int index) {
  Buffer& buffer = buffers_[id];
  if (buffer.references > 0 || buffer.permanent || !buffer.live) return;
  buffer.live = false;
  in_use_ -= buffer.bytes;
  if (buffer.allocation != kNone) result_->allocations[buffer.allocation].last_step = index;
}

void Simulator::Release(int32_t id, int index) {
  if (--buffers_[id].references == 0) FreeIfUnused(id, index);
}

int32_t Simulator::PlaceOutput(NodeId node, TensorId id, const int32_t* taken, int index) {
  const Tensor& tensor = graph_.tensor(id);
  if (tensor.reads_variable) return variable_buffer_[graph_.node(node).variable];
  if (tensor.view_of != kNone) {
    const absl::Span<const TensorId> inputs = graph_.inputs(node);
    const int input = static_cast<int>(std::find(inputs.begin(), inputs.end(), tensor.view_of) - inputs.begin());
    return buffer_of_[taken[input]];
  }
  if (tensor.external) return kOutsideBuffer;
  for (int32_t input : graph_.forwards(id)) {
    const int32_t candidate = buffer_of_[taken[input]];
    Buffer& buffer = buffers_[candidate];
    if (buffer.external || buffer.permanent || buffer.bytes != tensor.rounded_bytes || buffer.references != 1 ||
        buffer.taken_over_in == index) {
      continue;
    }
    buffer.taken_over_in = index;
    buffer.tensor = id;
    return candidate;
  }
  return Allocate(tensor.rounded_bytes, id, Allocation::kOutput, index);
}

void Simulator::ChangeVariable(NodeId id, const int32_t* taken, int index, int32_t* replaced) {
  const Node& node = graph_.node(id);
  int32_t& current = variable_buffer_[node.variable];
  if (node.variable_use == config::VARIABLE_UPDATE) {
    int32_t own = 0;
    for (size_t i = 0; i < graph_.inputs(id).size(); ++i) own += buffer_of_[taken[i]] == current;
    if (buffers_[current].references <= own) return;
    const int32_t copy = Allocate(graph_.variable_bytes(node.variable), kNone, Allocation::kVariableCopy, index);
    *replaced = current;
    current = copy;
  } else {
    const int32_t value = buffer_of_[taken[1]];
    if (value == current) return;
    *replaced = current;
    current = value;
  }
  buffers_[*replaced].permanent = *replaced == kOutsideBuffer;
  buffers_[current].permanent = true;
}

void Simulator::Compute(const Step& step, int index) {
  const Node& node = graph_.node(step.id);
  const int32_t* taken = bindings_.taken(index);
  const int inputs = static_cast<int>(graph_.inputs(step.id).size());
  double start = now_;
  if (!arrival_.empty()) {
    for (int i = 0; i < inputs; ++i) start = std::max(start, arrival_[taken[i]]);
  }
  now_ = start + costs_.node_seconds[step.id];
  if (detail_.timeline) result_->timeline[index] = {start, now_};

  const int32_t made = bindings_.made(index);
  for (int i = 0; i < node.outputs; ++i) {
    const int32_t buffer = PlaceOutput(step.id, node.first_tensor + i, taken, index);
    buffer_of_[made + i] = buffer;
    buffers_[buffer].references += bindings_.references(made + i);
  }
  int32_t replaced = kNone;
  if (node.variable_use == config::VARIABLE_UPDATE || node.variable_use == config::VARIABLE_REPLACE) {
    ChangeVariable(step.id, taken, index, &replaced);
  }
  Mark(index, node.temporary_bytes);
  if (detail_.allocations && node.temporary_bytes > 0) {
    result_->allocations.push_back({Allocation::kTemporary, false, index, index, kNone, node.temporary_bytes});
  }
  for (int i = 0; i < inputs; ++i) Release(buffer_of_[taken[i]], index);
  for (int i = 0; i < node.outputs; ++i) FreeIfUnused(buffer_of_[made + i], index);
  if (replaced != kNone) FreeIfUnused(replaced, index);
}

void Simulator::SwapOut(const Step& step, int index) {
  const int64_t bytes = graph_.tensor(step.id).bytes;
  const double start = std::max({now_, out_free_, arrival_[bindings_.taken(index)[0]]});
  out_free_ = start + costs_.CopyOutSeconds(bytes, step.tier);
  copy_done_[bindings_.copy(index)] = out_free_;
  (step.tier == Tier::kDisk ? disk_bytes_ : host_bytes_) += bytes;
  result_->host_peak_bytes = std::max(result_->host_peak_bytes, host_bytes_);
  result_->disk_peak_bytes = std::max(result_->disk_peak_bytes, disk_bytes_);
  if (detail_.timeline) result_->timeline[index] = {start, out_free_};
  Mark(index, 0);
}

void Simulator::SwapOutWait(int index) {
  const double start = now_;
  now_ = std::max(now_, copy_done_[bindings_.copy(index)]);
  if (detail_.timeline) result_->timeline[index] = {start, now_};
  Mark(index, 0);
  Release(buffer_of_[bindings_.taken(index)[0]], index);
}

void Simulator::SwapIn(const Step& step, int index) {
  const Tensor& tensor = graph_.tensor(step.id);
  const int32_t copy = bindings_.copy(index);
  const Tier tier = bindings_.host_copies()[copy].tier;
  const double start = std::max({now_, in_free_, copy_done_[copy]});
  in_free_ = start + costs_.CopyInSeconds(tensor.bytes, tier);
  if (detail_.timeline) result_->timeline[index] = {start, in_free_};
  const int32_t made = bindings_.made(index);
  arrival_[made] = in_free_;
  const int32_t buffer = Allocate(tensor.rounded_bytes, step.id, Allocation::kSwapIn, index);
  buffer_of_[made] = buffer;
  buffers_[buffer].references = bindings_.references(made);
  Mark(index, 0);
  FreeIfUnused(buffer, index);
  if (bindings_.host_copies()[copy].last_swap_in == index) {
    (tier == Tier::kDisk ? disk_bytes_ : host_bytes_) -= tensor.bytes;
  }
}

void Simulator::Finish(int steps) {
  result_->seconds = now_;
  if (!detail_.allocations) return;
  for (const Buffer& buffer : buffers_) {
    if (!buffer.live || buffer.allocation == kNone) continue;
    Allocation& allocation = result_->allocations[buffer.allocation];
    allocation.outlives_step = true;
    allocation.last_step = std::max(allocation.first_step, steps - 1);
  }
}

}  // namespace str::optimizer
