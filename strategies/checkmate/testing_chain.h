// A chain of layers with its gradients, of unit time and bytes, for tests.
#ifndef STR_STRATEGIES_CHECKMATE_TESTING_CHAIN_H_
#define STR_STRATEGIES_CHECKMATE_TESTING_CHAIN_H_

#include <utility>

#include "strategies/staged/staged_graph.h"

namespace str::strategies {

// Layers 0..n-1, the loss n, and 2n - i the gradient of layer i, which takes the gradient of layer i + 1 and the output
// of layer i.
inline StagedGraph UnitChain(int layers) {
  StagedGraph graph;
  for (int i = 0; i <= 2 * layers; ++i) {
    StagedNode node;
    node.seconds = 1;
    node.bytes = 1;
    node.may_rerun = true;
    if (i > 0) node.inputs.push_back(i - 1);
    if (i > layers) node.inputs.push_back(2 * layers - i);
    graph.Add(std::move(node));
  }
  return graph;
}

}  // namespace str::strategies

#endif  // STR_STRATEGIES_CHECKMATE_TESTING_CHAIN_H_
