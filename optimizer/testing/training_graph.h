// Random graphs of the shape that training has: a forward chain with skips, its gradients, and weight updates.
//
// They hold one of everything that TensorFlow's own graphs hold: views, buffers taken over, variables, temporaries,
// nodes that may not run twice, nodes with two outputs, results.
#ifndef STR_OPTIMIZER_TESTING_TRAINING_GRAPH_H_
#define STR_OPTIMIZER_TESTING_TRAINING_GRAPH_H_

#include <cstdint>

#include "config/graph.pb.h"

namespace str::optimizer {

struct TrainingGraphOptions {
  uint64_t seed = 1;
  // About 12 nodes each.
  int layers = 8;
  // Activations have up to this many bytes; weights a sixteenth of it.
  int64_t max_activation_bytes = 8 << 20;
};

// Passes the graph validator. Equal options give equal graphs.
config::GraphFile RandomTrainingGraph(const TrainingGraphOptions& options);

}  // namespace str::optimizer

#endif  // STR_OPTIMIZER_TESTING_TRAINING_GRAPH_H_
