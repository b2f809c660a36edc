// File: current_op.h
//
// What the calling thread is executing for TensorFlow, so that the allocator can attribute every allocation to a node.
//
// The device opens an OpScope around each Compute. Allocations of other threads (the input pipeline, callbacks of
// asynchronous ops) belong to no op.
#ifndef STR_TF_PLUGIN_DEVICE_CURRENT_OP_H_
#define STR_TF_PLUGIN_DEVICE_CURRENT_OP_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "config/strategy.pb.h"

namespace str::device {

// One op while it runs, on one thread.
struct OpRecord {
  // Set if the op is a node of a program: its allocations are the step's own.
  bool in_marked_graph = false;
  // Set while values are compared: bytes that a kernel leaves unwritten are then the same each time it runs.
  bool fill_with_zeros = false;
  // Index of the loop that the op is part of, of those whose memory is counted; -1: none.
  int loop = -1;
  // Planned places of this op's allocations, null where there is no plan. Not owned.
  const google::protobuf::RepeatedPtrField<config::Place>* places = nullptr;
  // Which places are taken already, parallel to `places`.
  std::vector<bool> place_taken;

  // Bytes allocated by this op and still held, now and at most, rounded.
  int64_t held_bytes = 0;
  int64_t max_held_bytes = 0;
  // Pointers this op allocated and still holds.
  std::vector<const void*> held;

  // How long the op took on the device, where its kernel only enqueues work and the host's clock does not tell.
  std::optional<int64_t> device_ns;

  // Why `device_ns` is not known although it was asked for; the host's clock does not stand in for it.
  std::string timing_error;

  // Why the op must fail although the kernel got memory (limit exceeded); empty if it need not.
  std::string out_of_memory;
  // Why an allocation was refused. The kernel got null: it fails by itself, or does without that memory.
  std::string refused;
};

// The op of the calling thread; null outside of ops.
OpRecord* CurrentOp();

class OpScope {
 public:
  explicit OpScope(OpRecord* record);
  ~OpScope();
  OpScope(const OpScope&) = delete;
  OpScope& operator=(const OpScope&) = delete;

 private:
  OpRecord* const outer_;
};

}  // namespace str::device

#endif  // STR_TF_PLUGIN_DEVICE_CURRENT_OP_H_
