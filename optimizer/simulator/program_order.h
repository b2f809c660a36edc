// Whether a program runs every node after those it needs: by data, by control, and through nodes outside the program.
#ifndef STR_OPTIMIZER_SIMULATOR_PROGRAM_ORDER_H_
#define STR_OPTIMIZER_SIMULATOR_PROGRAM_ORDER_H_

#include "absl/status/status.h"
#include "optimizer/graph/graph.h"
#include "optimizer/simulator/program.h"

namespace str::optimizer {

// InvalidArgument naming the step that runs too early and what it needs. Reruns and swaps are not looked at.
absl::Status CheckProgramOrder(const Graph& graph, const Program& program);

}  // namespace str::optimizer

#endif  // STR_OPTIMIZER_SIMULATOR_PROGRAM_ORDER_H_
