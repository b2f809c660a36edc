// The text graphs of mksch, the tool of Kusumoto et al., "A Graph Theoretic Framework of Recomputation Algorithms for
// Memory-Efficient Backpropagation" (NeurIPS 2019):
//   2 2                     variables, functions
//   0 4096 /conv1/W         per variable: id, bytes, name ("_": made by a function)
//   1 8192 _
//   forward                 per function: direction,
//   1 1                     how many inputs and outputs,
//   0 _                     inputs (forward: "_"; backward: "gradient", "input" or "output" of the forward function),
//   1                       outputs (backward: variables whose gradients it makes),
//   ReLU                    type,
//   {"rank": 3}             attributes.
// Function m/2 + j is the backward of function j. Bytes have 64 bits. Errors name the line.
#ifndef STR_OPTIMIZER_IMPORTERS_MKSCH_TEXT_H_
#define STR_OPTIMIZER_IMPORTERS_MKSCH_TEXT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace str::optimizer {

struct MkschVariable {
  int64_t bytes = 0;
  std::string name;
  // The forward function that makes it; -1: a leaf, that is a parameter or an input of the model.
  int producer = -1;

  bool leaf() const { return producer < 0; }
};

struct MkschInput {
  int variable = 0;
  // Its gradient rather than its value.
  bool gradient = false;
};

struct MkschFunction {
  std::vector<MkschInput> inputs;
  std::vector<int> outputs;
  std::string type;
};

struct MkschGraph {
  std::vector<MkschVariable> variables;
  // First all forward functions, then their backward ones in the same order.
  std::vector<MkschFunction> functions;

  int forward_functions() const { return static_cast<int>(functions.size()) / 2; }
};

// Whether the text begins as such a graph does: with two whole numbers.
bool LooksLikeMksch(absl::string_view text);

// Every forward function has one output, no variable is made twice, and there is no cycle.
absl::StatusOr<MkschGraph> ParseMksch(absl::string_view text);

// The forward functions, each after those whose outputs it takes.
std::vector<int> ForwardOrder(const MkschGraph& graph);

}  // namespace str::optimizer

#endif  // STR_OPTIMIZER_IMPORTERS_MKSCH_TEXT_H_
