// File: execution_order.h
//
// Puts the nodes of a graph file into the order in which TensorFlow executed them, and fixes that order where the
// result depends on it.
#ifndef STR_TF_PLUGIN_CAPTURE_EXECUTION_ORDER_H_
#define STR_TF_PLUGIN_CAPTURE_EXECUTION_ORDER_H_

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "config/graph.pb.h"

namespace str::capture {

// `positions` has one entry per node, smaller ran earlier; -1 for a node that was not seen to run, which comes as early
// as it can.
//
// Where several nodes change the same reference (Grappler turns a large AddN into additions to a temporary variable),
// the sum is rounded in the order in which they run, and TensorFlow leaves that order open. Control edges fix the one
// that was seen, so that a plan computes the same bits.
// FailedPrecondition if the positions contradict the edges, as those of a step that failed may.
absl::Status ApplyExecutionOrder(std::vector<int64_t> positions, config::GraphFile& graph);

}  // namespace str::capture

#endif  // STR_TF_PLUGIN_CAPTURE_EXECUTION_ORDER_H_
