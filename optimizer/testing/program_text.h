// Programs as short texts, for tests: "x y out:x:0 wait:x:0 in:x:0 again:y z".
#ifndef STR_OPTIMIZER_TESTING_PROGRAM_TEXT_H_
#define STR_OPTIMIZER_TESTING_PROGRAM_TEXT_H_

#include <string>

#include "absl/strings/string_view.h"
#include "optimizer/cost/costs.h"
#include "optimizer/graph/graph.h"
#include "optimizer/simulator/program.h"

namespace str::optimizer {

// A bare name runs the node; again: reruns it; out:, wait:, in: move a tensor; disk: is an out: to the disk. Unknown
// names end the test.
Program ParseProgram(const Graph& graph, absl::string_view text);
std::string ProgramText(const Graph& graph, const Program& program);

// The costs of a graph that was measured; anything else ends the test.
Costs MeasuredCosts(const config::GraphFile& file);

}  // namespace str::optimizer

#endif  // STR_OPTIMIZER_TESTING_PROGRAM_TEXT_H_
