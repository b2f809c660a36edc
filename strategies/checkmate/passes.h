// The two passes of a training step, as checkpointing rules see them, and which values may be checkpoints.
//
// The rules of Checkmate's baselines are stated for graphs of layers: T = 2n + 1 nodes, of which i < n is a layer, n
// the loss and 2n - i the gradient of layer i. Such a graph is recognised by its edges (`mirrored`) and read literally.
// Any other is read like this:
//   backward  as in optimizer/graph/backward.h;
//   forward   what the backward pass follows from;
//   other     the rest, such as metrics: takes part in no rule, its inputs are held for it.
#ifndef STR_STRATEGIES_CHECKMATE_PASSES_H_
#define STR_STRATEGIES_CHECKMATE_PASSES_H_

#include <cstdint>
#include <vector>

#include "optimizer/graph/graph.h"
#include "strategies/staged/staged_graph.h"

namespace str::strategies {

enum class Role : int8_t { kForward, kBackward, kOther };

struct Passes {
  bool mirrored = false;
  std::vector<Role> roles;
  // Forward nodes whose values the backward pass takes and that may be made again: what checkpoints are chosen from.
  // In mirrored graphs all forward nodes. Ascending.
  std::vector<int> candidates;
  // Those candidates without which the forward pass falls apart.
  std::vector<int> articulation_points;
  // By position: values too small to be worth a decision; always held. None in mirrored graphs.
  std::vector<bool> small;
  // By stage, the position of the forward node on whose account it runs: a forward node's own, for a gradient the first
  // of the candidates that it takes. A stage that takes none goes on with the one before.
  std::vector<int> layer;
};

// `staged` must be of one node of the graph per position. `graph` may be null if the graph is mirrored.
Passes FindPasses(const StagedGraph& staged, const optimizer::Graph* graph);

}  // namespace str::strategies

#endif  // STR_STRATEGIES_CHECKMATE_PASSES_H_
