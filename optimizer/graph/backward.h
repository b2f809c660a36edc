// Which nodes of a training step are its backward pass: one rule for all who need to know.
//
// Known to be backward is what the graph's maker does not want recomputed, as importers say of gradients, and what
// TensorFlow names after a gradient tape or `tf.gradients`; and all that takes data from it, such as updates of
// weights. Where neither tells, it is a guess: what was captured after the node during which most values are in use.
#ifndef STR_OPTIMIZER_GRAPH_BACKWARD_H_
#define STR_OPTIMIZER_GRAPH_BACKWARD_H_

#include <vector>

#include "optimizer/graph/graph.h"

namespace str::optimizer {

struct BackwardPass {
  // By node, nodes outside the program included.
  std::vector<bool> nodes;
  // Not a guess.
  bool known = false;
};

BackwardPass FindBackward(const Graph& graph);

}  // namespace str::optimizer

#endif  // STR_OPTIMIZER_GRAPH_BACKWARD_H_
