// What DTR runs: operators on tensors in the order in which a program calls them, with the references it takes and
// drops. From a log (log.h) or from a graph.
//
// Everything that does not depend on budget or heuristic is resolved here once: ids instead of names, which storage a
// tensor lies in, which storages depend on which. Units: bytes, and whatever unit the costs have.
// Immutable once built; safe to share between threads.
#ifndef STR_STRATEGIES_DTR_TRACE_H_
#define STR_STRATEGIES_DTR_TRACE_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"

namespace str::dtr {

inline constexpr int32_t kNone = -1;

struct TraceTensor {
  int32_t storage = kNone;
  // The operator that makes it; kNone: a constant.
  int32_t op = kNone;
  // Makes the storage; otherwise a view that takes no memory.
  bool owns_storage = true;
  // Its storage stays in memory once this is made.
  bool kept = false;
  // First of its operator's outputs in this storage: there the operator's cost counts once.
  bool first_in_storage = true;
};

struct TraceOp {
  int64_t cost = 0;
  // Of all outputs, and beyond them while it runs.
  int64_t output_bytes = 0;
  int64_t temporary_bytes = 0;
  // Ranges of Trace::inputs, tensors and dependencies.
  int32_t inputs_begin = 0, inputs_end = 0;
  int32_t outputs_begin = 0, outputs_end = 0;
  int32_t dependencies_begin = 0, dependencies_end = 0;
};

// `child` is made from `parent`. Each pair once, with the first operator that brings it.
struct Dependency {
  int32_t parent = kNone;
  int32_t child = kNone;
};

struct TraceEvent {
  // kDiscard: nothing can need the tensor's storage any more, so that even what is kept may go.
  enum Kind : int8_t { kConstant, kCall, kReference, kRelease, kDiscard };
  Kind kind = kCall;
  // An operator for kCall, else a tensor.
  int32_t id = kNone;
};

struct Trace {
  std::vector<int64_t> storage_bytes;
  std::vector<TraceTensor> tensors;
  std::vector<TraceOp> ops;
  std::vector<int32_t> inputs;
  std::vector<Dependency> dependencies;
  std::vector<TraceEvent> events;
  // Tensors that must be in memory at the end.
  std::vector<int32_t> results;
  // What all operators cost once.
  int64_t baseline = 0;

  absl::Span<const int32_t> InputsOf(const TraceOp& op) const {
    return absl::MakeConstSpan(inputs.data() + op.inputs_begin, op.inputs_end - op.inputs_begin);
  }
};

class TraceBuilder {
 public:
  struct Output {
    int64_t bytes = 0;
    // Position among the inputs whose storage it shares; kNone: has one of its own.
    int32_t alias = kNone;
    // Never evicted, because it could not be made again.
    bool kept = false;
  };

  // A reference to it is held until Release.
  int32_t AddConstant(int64_t bytes);
  // Returns its first output; the others follow. A reference to each is held until Release.
  int32_t AddCall(absl::Span<const int32_t> inputs, absl::Span<const Output> outputs, int64_t cost,
                  int64_t temporary_bytes = 0);
  void Reference(int32_t tensor) { trace_.events.push_back({TraceEvent::kReference, tensor}); }
  void Release(int32_t tensor) { trace_.events.push_back({TraceEvent::kRelease, tensor}); }

  void Discard(int32_t tensor) { trace_.events.push_back({TraceEvent::kDiscard, tensor}); }

  int64_t StorageBytes(int32_t tensor) const { return trace_.storage_bytes[trace_.tensors[tensor].storage]; }
  int op_count() const { return static_cast<int>(trace_.ops.size()); }

  // InvalidArgument if bytes or costs add up to more than can be counted.
  absl::StatusOr<Trace> Build(std::vector<int32_t> results) &&;

 private:
  void AddDependencies(TraceOp* op);

  Trace trace_;
  double total_bytes_ = 0, total_cost_ = 0;
  // Parents of each storage so far.
  std::vector<std::vector<int32_t>> parents_;
};

}  // namespace str::dtr

#endif  // STR_STRATEGIES_DTR_TRACE_H_
