// A program with one decision taken back, so that the judge can tell what the decision is worth.
#ifndef STR_OPTIMIZER_EXPLAIN_UNDO_H_
#define STR_OPTIMIZER_EXPLAIN_UNDO_H_

#include "absl/status/statusor.h"
#include "optimizer/graph/graph.h"
#include "optimizer/simulator/program.h"

namespace str::optimizer {

// Without the copies of `root` and the reruns of its node, and without what only served those: reruns and copies in
// that nobody takes then, copies out that nobody brings back. The rest keeps its order. Fails if `program` cannot be
// run.
absl::StatusOr<Program> Undo(const Graph& graph, const Program& program, TensorId root);

}  // namespace str::optimizer

#endif  // STR_OPTIMIZER_EXPLAIN_UNDO_H_
