// Programs from and to the steps of strategy files.
#ifndef STR_OPTIMIZER_SIMULATOR_PROGRAM_FILE_H_
#define STR_OPTIMIZER_SIMULATOR_PROGRAM_FILE_H_

#include "absl/status/statusor.h"
#include "config/graph.pb.h"
#include "config/strategy.pb.h"
#include "optimizer/graph/graph.h"
#include "optimizer/simulator/program.h"

namespace str::optimizer {

// InvalidArgument naming the step whose node or tensor the graph does not have.
absl::StatusOr<Program> ProgramFromStrategy(const Graph& graph, const config::StrategyFile& strategy);

// Replaces the steps of `strategy`, without places. `file` must be what `graph` was made from: a run's outputs are
// described from it.
void WriteSteps(const config::GraphFile& file, const Graph& graph, const Program& program,
                config::StrategyFile* strategy);

}  // namespace str::optimizer

#endif  // STR_OPTIMIZER_SIMULATOR_PROGRAM_FILE_H_
