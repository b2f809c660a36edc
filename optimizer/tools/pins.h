// --pin: what a plan may do with tensors of certain names.
//
// A pin is about the time between a tensor's uses by the nodes of the step. keep: it stays on the device. swap: if it
// does not stay, it is swapped. recompute: if it does not stay, it is computed again. Whether it stays is the planner's
// choice, except with keep. A pin on a view counts for the buffer that it shares.
#ifndef STR_OPTIMIZER_TOOLS_PINS_H_
#define STR_OPTIMIZER_TOOLS_PINS_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "optimizer/graph/graph.h"
#include "optimizer/simulator/program.h"
#include "strategies/planner.h"

namespace str::tools {

// Each "keep|swap|recompute:REGEX", which a part of the tensor's name matches; later ones win. One entry per tensor,
// none without pins. A pin that matches nothing, or nothing that it could have an effect on, is refused.
absl::StatusOr<std::vector<strategies::Pin>> ParsePins(const std::vector<std::string>& texts,
                                                       const optimizer::Graph& graph);

// FailedPrecondition naming the tensor if the program does what the pins rule out: not every strategy takes pins.
absl::Status CheckPins(const optimizer::Graph& graph, const optimizer::Program& program,
                       const std::vector<strategies::Pin>& pins);

}  // namespace str::tools

#endif  // STR_OPTIMIZER_TOOLS_PINS_H_
