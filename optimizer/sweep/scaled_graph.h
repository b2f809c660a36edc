// The same training step at another batch size, from its graph at one or two.
//
// From one graph everything that nodes make and do is proportional to the batch; what is always there, such as
// parameters, is not. From two graphs each size and time is the straight line through both: exact for what has a part
// that does not grow, such as the gradients of weights.
#ifndef STR_OPTIMIZER_SWEEP_SCALED_GRAPH_H_
#define STR_OPTIMIZER_SWEEP_SCALED_GRAPH_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "config/graph.pb.h"

namespace str::tools {

struct GraphAtBatch {
  // For messages.
  std::string source_name;
  config::GraphFile file;
  int64_t batch = 0;
};

// Whether `graphs`, one or two, can be scaled: batches are positive and different, nodes and edges the same. Errors
// name the first node that differs.
absl::Status CheckScalable(const std::vector<GraphAtBatch>& graphs);

// Expects graphs that CheckScalable accepts. Shapes are left out. OutOfRange where a size gets too large.
absl::StatusOr<config::GraphFile> ScaleToBatch(const std::vector<GraphAtBatch>& graphs, int64_t batch);

}  // namespace str::tools

#endif  // STR_OPTIMIZER_SWEEP_SCALED_GRAPH_H_
