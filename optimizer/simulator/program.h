// A program: what one training step does, one action after the other. The in-memory form of the strategy file's steps;
// config/strategy.proto says what each action means.
#ifndef STR_OPTIMIZER_SIMULATOR_PROGRAM_H_
#define STR_OPTIMIZER_SIMULATOR_PROGRAM_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "optimizer/cost/tier.h"
#include "optimizer/graph/graph.h"

namespace str::optimizer {

enum class Action : int8_t { kRun, kRerun, kSwapOut, kSwapOutWait, kSwapIn };

// Runs a node, as opposed to moving a tensor.
inline bool Computes(Action action) { return action == Action::kRun || action == Action::kRerun; }

struct Step {
  Action action = Action::kRun;
  // A node id if the action computes, else a tensor id.
  int32_t id = 0;
  // Of a swap_out: where to.
  Tier tier = Tier::kHost;

  friend bool operator==(const Step& a, const Step& b) {
    return a.action == b.action && a.id == b.id && a.tier == b.tier;
  }
};

using Program = std::vector<Step>;

// "swap_in", as in the strategy file.
absl::string_view ActionName(Action action);

// `step 12 (swap_in "conv1:0")`; `index` counts from 0, the text from 1.
std::string StepName(const Graph& graph, const Program& program, int index);

// Every node of the program once, in this order, nothing else. `order` may hold nodes outside the program too.
Program KeepAll(const Graph& graph, const std::vector<NodeId>& order);

// The order in which the graph was captured.
std::vector<NodeId> CapturedOrder(const Graph& graph);

// What a program does beyond running every node once.
struct ProgramCounts {
  // Tensors that are swapped or recomputed, without views.
  int tensors_decided = 0;
  int64_t swapped_bytes = 0;
  int swapped_tensors = 0;
  // Extra runs of nodes, as config/strategy_changes.h counts them.
  int recomputed_nodes = 0;
};
ProgramCounts Count(const Graph& graph, const Program& program);

// Whether all outputs of the node share the buffers of its inputs, so that running it costs no memory.
bool IsView(const Graph& graph, NodeId node);

}  // namespace str::optimizer

#endif  // STR_OPTIMIZER_SIMULATOR_PROGRAM_H_
