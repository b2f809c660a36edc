#include "tf_plugin/capture/step_profile.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "tensorflow/core/common_runtime/dma_helper.h"
#include "tf_plugin/capture/execution_order.h"
#include "tf_plugin/graph/op_facts.h"

namespace str::capture {
namespace {

using tensorflow::DMAHelper;
using tensorflow::OpKernelContext;
using tensorflow::Tensor;
using tensorflow::TensorBuffer;

const TensorBuffer* RootBuffer(const Tensor& tensor) {
  TensorBuffer* const buffer = const_cast<TensorBuffer*>(DMAHelper::buffer(&tensor));
  return buffer == nullptr ? nullptr : buffer->root_buffer();
}

bool IsSoleHolder(const Tensor& tensor) {
  return RootBuffer(tensor) != nullptr && RootBuffer(tensor)->RefCountIsOne() &&
         DMAHelper::buffer(&tensor)->RefCountIsOne();
}

// The first step of a process warms caches and builds kernels: it counts only where it is the only one.
template <typename T>
typename std::vector<T>::const_iterator WarmBegin(const std::vector<T>& values) {
  return values.size() > 1 ? values.begin() + 1 : values.begin();
}

int64_t WarmMedian(const std::vector<int64_t>& values) {
  if (values.empty()) return 0;
  std::vector<int64_t> warm(WarmBegin(values), values.end());
  std::nth_element(warm.begin(), warm.begin() + warm.size() / 2, warm.end());
  return warm[warm.size() / 2];
}

}  // namespace

std::vector<InputSeen> SeeInputs(OpKernelContext& context) {
  std::vector<InputSeen> inputs(context.num_inputs());
  for (int i = 0; i < context.num_inputs(); ++i) {
    if (!context.has_input(i)) continue;
    // A reference is the variable itself: whoever passes it on shares its buffer.
    const bool is_reference = context.input_is_ref(i);
    // Asked before anything here holds the tensor too.
    const bool sole_holder = !is_reference && IsSoleHolder(context.input(i));
    const Tensor tensor = is_reference ? context.mutable_input(i, /*lock_held=*/false) : context.input(i);
    const TensorBuffer* const root = RootBuffer(tensor);
    if (root == nullptr) continue;
    inputs[i].buffer = root->data();
    inputs[i].bytes = tensor.TotalBytes();
    inputs[i].sole_holder = sole_holder;
  }
  return inputs;
}

void StepProfile::AddOp(int index, OpKernelContext& context, const std::vector<InputSeen>& inputs,
                        const device::OpRecord& op, int64_t elapsed_ns) {
  NodeSeen& node = nodes_[index];
  node.times_ns.push_back(elapsed_ns);
  node.position = next_position_++;
  node.temporary_bytes = std::max(node.temporary_bytes, op.max_held_bytes - op.held_bytes);
  node.outputs.resize(context.num_outputs());
  for (int i = 0; i < context.num_outputs(); ++i) {
    const Tensor* const tensor = context.mutable_output(i);
    if (tensor == nullptr) continue;
    const TensorBuffer* const root = RootBuffer(*tensor);
    if (root == nullptr) continue;
    OutputSeen& output = node.outputs[i];
    output.seen = true;
    output.bytes = std::max<int64_t>(output.bytes, tensor->TotalBytes());
    if (std::find(op.held.begin(), op.held.end(), root->data()) != op.held.end()) {
      output.allocated = true;
      for (size_t k = 0; k < inputs.size(); ++k) {
        if (inputs[k].sole_holder && inputs[k].bytes == static_cast<int64_t>(tensor->TotalBytes())) {
          output.not_forwarded.insert(static_cast<int>(k));
        }
      }
      continue;
    }
    for (size_t k = 0; k < inputs.size(); ++k) {
      if (inputs[k].buffer != root->data()) continue;
      if (inputs[k].sole_holder) {
        output.forwarded.insert(static_cast<int>(k));
      } else {
        output.view_of = static_cast<int>(k);
      }
      break;
    }
  }
}

absl::Status StepProfile::Complete(const std::vector<int>& marked, config::GraphFile& graph) const {
  // What one node of a type was seen to take over, all nodes of the type can.
  std::map<std::pair<std::string, int>, std::set<int>> forwarded_by_type;
  for (int i = 0; i < graph.node_size(); ++i) {
    if (marked[i] < 0) continue;
    const std::vector<OutputSeen>& outputs = nodes_[marked[i]].outputs;
    for (size_t o = 0; o < outputs.size(); ++o) {
      forwarded_by_type[{graph.node(i).op(), static_cast<int>(o)}].insert(outputs[o].forwarded.begin(),
                                                                          outputs[o].forwarded.end());
    }
  }
  for (int i = 0; i < graph.node_size(); ++i) {
    if (marked[i] < 0) continue;
    config::Node& node = *graph.mutable_node(i);
    const NodeSeen& seen = nodes_[marked[i]];
    node.set_time_ns(WarmMedian(seen.times_ns));
    node.set_temporary_bytes(seen.temporary_bytes);
    for (int o = 0; o < node.output_size() && o < static_cast<int>(seen.outputs.size()); ++o) {
      const OutputSeen& output_seen = seen.outputs[o];
      if (!output_seen.seen) continue;
      config::Output& output = *node.mutable_output(o);
      output.set_bytes(output_seen.bytes);
      // It stays external, whatever buffer it shares.
      if (output.host_memory()) continue;
      const bool view = o == 0 && (graph::IsView(node.op()) || graph::IsListOfSlices(node.op()));
      output.set_view_of_input_plus1(view ? 1 : output_seen.view_of + 1);
      std::set<int> candidates(output.forwards_input().begin(), output.forwards_input().end());
      const std::set<int>& learnt = forwarded_by_type[{node.op(), o}];
      candidates.insert(learnt.begin(), learnt.end());
      output.clear_forwards_input();
      const bool shares = output.view_of_input_plus1() != 0 || !output_seen.forwarded.empty();
      output.set_external(!output_seen.allocated && !shares);
      if (output.external() || output.view_of_input_plus1() != 0) continue;
      if (graph::SumsInOrderOfBuffers(node.op(), node.input_size())) {
        // Only the addend that is summed first anyway may give its buffer: the rewrite sees to that.
        node.set_first_addend(output_seen.forwarded.empty() ? 0 : *output_seen.forwarded.begin());
        output.add_forwards_input(node.first_addend());
        continue;
      }
      for (int k : candidates) {
        if (k < node.input_size() && !output_seen.not_forwarded.count(k)) output.add_forwards_input(k);
      }
    }
  }
  std::vector<int64_t> positions(graph.node_size(), -1);
  for (int i = 0; i < graph.node_size(); ++i) {
    if (marked[i] >= 0) positions[i] = nodes_[marked[i]].position;
  }
  if (absl::Status status = ApplyExecutionOrder(positions, graph); !status.ok()) return status;
  graph.set_steps_measured(steps());
  for (auto step = WarmBegin(steps_); step != steps_.end(); ++step) {
    graph.set_external_bytes(std::max(graph.external_bytes(), step->external_bytes));
    graph.set_measured_peak_bytes(std::max(graph.measured_peak_bytes(), step->peak_bytes));
    for (int i = 0; i < graph.loop_size() && i < static_cast<int>(step->loop_peak_bytes.size()); ++i) {
      config::LoopMemory& loop = *graph.mutable_loop(i);
      loop.set_bytes(std::max(loop.bytes(), step->loop_peak_bytes[i]));
    }
  }
  return absl::OkStatus();
}

}  // namespace str::capture
