// From a program back to the schedule that it follows: the other way round than ProgramOf in schedule.h.
#ifndef STR_STRATEGIES_STAGED_PROGRAM_SCHEDULE_H_
#define STR_STRATEGIES_STAGED_PROGRAM_SCHEDULE_H_

#include "absl/status/statusor.h"
#include "optimizer/graph/graph.h"
#include "optimizer/simulator/program.h"
#include "strategies/staged/schedule.h"
#include "strategies/staged/staged_graph.h"

namespace str::strategies {

// The schedule of a program that the judge accepts. A value is held from the stage that made it to the last one that
// takes it. `staged` must be of one node of the graph per position, in the program's order of first runs.
// InvalidArgument naming the step if it has no place in a schedule: a copy to the host or back, a second rerun of a
// node in one stage, a rerun after the last stage.
absl::StatusOr<Schedule> ScheduleOfProgram(const optimizer::Graph& graph, const StagedGraph& staged,
                                           const optimizer::Program& program);

}  // namespace str::strategies

#endif  // STR_STRATEGIES_STAGED_PROGRAM_SCHEDULE_H_
