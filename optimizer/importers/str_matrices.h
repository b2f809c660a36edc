// Reads solutions of the published STR (str_files.h) as programs. The matrices are square, by stage and node, blank
// separated, 0 or 1; stages and nodes count from 0, line t + 1 is stage t, and node t is first computed in stage t:
//   R computed in the stage, S held when it starts, P a copy to the host starts, Q a copy back starts.
// Without S a value is held as long as it is taken later, not computed again before that and not copied back.
// layer_names has the names of the forward layers, one per line, from the first or from the input layer on.
#ifndef STR_OPTIMIZER_IMPORTERS_STR_MATRICES_H_
#define STR_OPTIMIZER_IMPORTERS_STR_MATRICES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "optimizer/cost/costs.h"
#include "optimizer/graph/graph.h"
#include "optimizer/importers/str_files.h"
#include "optimizer/simulator/program.h"

namespace str::optimizer {

struct StrSolution {
  // Runs whatever the matrices say: what is missing is computed, and copies of no use are left out.
  Program program;
  // Where the matrices do not agree with the graph or each other, with stage and node. What they ask for cannot be done
  // exactly then.
  std::vector<std::string> violations;
  // As STR counts memory (its U): values held, computed or on their way back. The judge counts otherwise.
  int64_t published_peak_bytes = 0;
};

// Copies take as many stages as they need by `costs`, in which rates are needed if there are copies. Errors name the
// file and the line.
absl::StatusOr<StrSolution> ReadStrSolution(const StrFiles& files, const Graph& graph, const Costs& costs);

}  // namespace str::optimizer

#endif  // STR_OPTIMIZER_IMPORTERS_STR_MATRICES_H_
