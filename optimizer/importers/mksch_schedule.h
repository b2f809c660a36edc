// A program on an imported mksch graph as mksch's schedule, which its runner for Chainer takes:
//   compute 12              runs forward function 12
//   compute 57 0 2          runs backward function 57 for its outputs 0 and 2
//   forget 8 forward        drops the value of variable 8
//   forget 8 backward       drops its gradient
// Everything is forgotten after its last use; gradients of leaves stay.
#ifndef STR_OPTIMIZER_IMPORTERS_MKSCH_SCHEDULE_H_
#define STR_OPTIMIZER_IMPORTERS_MKSCH_SCHEDULE_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "optimizer/importers/mksch_graph.h"
#include "optimizer/importers/mksch_text.h"
#include "optimizer/simulator/program.h"

namespace str::optimizer {

// `nodes` is what ImportMksch says of the nodes of the program's graph. InvalidArgument if the program copies tensors,
// for which the format has no words.
absl::StatusOr<std::string> MkschSchedule(const MkschGraph& graph, const std::vector<MkschNode>& nodes,
                                          const Program& program);

}  // namespace str::optimizer

#endif  // STR_OPTIMIZER_IMPORTERS_MKSCH_SCHEDULE_H_
