// Plans every graph of a capture folder: `str plan FOLDER`.
#ifndef STR_OPTIMIZER_TOOLS_PLAN_FOLDER_H_
#define STR_OPTIMIZER_TOOLS_PLAN_FOLDER_H_

#include "absl/status/statusor.h"
#include "optimizer/tools/plan_graph.h"

namespace str::tools {

// Each NAME.graph of the folder options.graph gets NAME.conf in the folder options.output (default ~/.str), where
// training picks it by fingerprint. A graph without a plan is reported by name; the others are written all the same.
// Prints one row a graph. Returns the exit code of the worst graph: bad input, then infeasible, then limit, then done.
absl::StatusOr<int> PlanFolder(const PlanOptions& options);

}  // namespace str::tools

#endif  // STR_OPTIMIZER_TOOLS_PLAN_FOLDER_H_
