#include "strategies/dtr/trace.h"

#include <algorithm>
#include <utility>

namespace str::dtr {
namespace {

// Below 2^63 by enough that sums of a few such totals are numbers too.
constexpr double kLargestTotal = 1e18;

}  // namespace

int32_t TraceBuilder::AddConstant(int64_t bytes) {
  const int32_t tensor = static_cast<int32_t>(trace_.tensors.size());
  trace_.tensors.push_back({static_cast<int32_t>(trace_.storage_bytes.size()), kNone});
  trace_.storage_bytes.push_back(bytes);
  parents_.emplace_back();
  total_bytes_ += bytes;
  trace_.events.push_back({TraceEvent::kConstant, tensor});
  return tensor;
}

int32_t TraceBuilder::AddCall(absl::Span<const int32_t> inputs, absl::Span<const Output> outputs, int64_t cost,
                              int64_t temporary_bytes) {
  const int32_t id = op_count();
  TraceOp op;
  op.cost = cost;
  op.temporary_bytes = temporary_bytes;
  op.inputs_begin = static_cast<int32_t>(trace_.inputs.size());
  trace_.inputs.insert(trace_.inputs.end(), inputs.begin(), inputs.end());
  op.inputs_end = static_cast<int32_t>(trace_.inputs.size());
  op.outputs_begin = static_cast<int32_t>(trace_.tensors.size());
  for (const Output& output : outputs) {
    TraceTensor tensor;
    tensor.op = id;
    tensor.kept = output.kept;
    if (output.alias == kNone) {
      tensor.storage = static_cast<int32_t>(trace_.storage_bytes.size());
      trace_.storage_bytes.push_back(output.bytes);
      parents_.emplace_back();
      op.output_bytes += output.bytes;
    } else {
      tensor.storage = trace_.tensors[inputs[output.alias]].storage;
      tensor.owns_storage = false;
    }
    tensor.first_in_storage = std::none_of(trace_.tensors.begin() + op.outputs_begin, trace_.tensors.end(),
                                           [&](const TraceTensor& other) { return other.storage == tensor.storage; });
    trace_.tensors.push_back(tensor);
  }
  op.outputs_end = static_cast<int32_t>(trace_.tensors.size());
  AddDependencies(&op);
  trace_.baseline += cost;
  total_cost_ += cost;
  total_bytes_ += static_cast<double>(op.output_bytes) + temporary_bytes;
  trace_.ops.push_back(op);
  trace_.events.push_back({TraceEvent::kCall, id});
  return op.outputs_begin;
}

void TraceBuilder::AddDependencies(TraceOp* op) {
  op->dependencies_begin = static_cast<int32_t>(trace_.dependencies.size());
  for (int32_t output = op->outputs_begin; output < op->outputs_end; ++output) {
    const int32_t child = trace_.tensors[output].storage;
    for (const int32_t input : trace_.InputsOf(*op)) {
      const int32_t parent = trace_.tensors[input].storage;
      std::vector<int32_t>& parents = parents_[child];
      if (parent == child || std::find(parents.begin(), parents.end(), parent) != parents.end()) continue;
      parents.push_back(parent);
      trace_.dependencies.push_back({parent, child});
    }
  }
  op->dependencies_end = static_cast<int32_t>(trace_.dependencies.size());
}

absl::StatusOr<Trace> TraceBuilder::Build(std::vector<int32_t> results) && {
  if (total_bytes_ > kLargestTotal) return absl::InvalidArgumentError("all tensors together have more than 1e18 bytes");
  if (total_cost_ > kLargestTotal) return absl::InvalidArgumentError("all operators together cost more than 1e18");
  trace_.results = std::move(results);
  return std::move(trace_);
}

}  // namespace str::dtr
