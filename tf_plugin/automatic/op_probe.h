// File: op_probe.h
//
// Measures the ops of a step one by one, without running the step: each op that computes gets inputs of zeros in the
// sizes that it will have, runs, and its result is let go. So times, scratch memory and buffer sharing are known where
// the step itself does not fit. It takes two to four times as long as the step's ops do, and memory for one op at
// a time.
//
// Ops with side effects are not run: variables, random state and the input pipeline stay as they are. Small integers,
// such as shapes and axes, are computed for real, as ops cannot do without their values.
#ifndef STR_TF_PLUGIN_AUTOMATIC_OP_PROBE_H_
#define STR_TF_PLUGIN_AUTOMATIC_OP_PROBE_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "config/graph.pb.h"
#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/graph/graph.h"
#include "tf_plugin/graph/graph_view.h"

namespace str::automatic {

// A graph that runs the ops of a step one after the other, each on inputs of its own.
struct ProbeGraph {
  std::unique_ptr<tensorflow::Graph> graph;
  // By node of the view's order: its index in the profile, or -1 where it is not run.
  std::vector<int> marked;
  int nodes = 0;
};

// `name` is of this probe alone in the process. An error names a tensor whose size is not known.
absl::StatusOr<ProbeGraph> BuildProbeGraph(const graph::GraphView& view, const tensorflow::Graph& graph,
                                           const std::string& name);

// The step as a graph file. `context` is of the op that stands for the step, whose arguments are those of `graph`.
// InvalidArgument: the step has to run to be known, as sizes depend on values or loops hold memory.
absl::StatusOr<config::GraphFile> ProbeStep(const graph::GraphView& view, const tensorflow::Graph& graph,
                                            const std::string& name, const std::string& device,
                                            tensorflow::OpKernelContext& context);

}  // namespace str::automatic

#endif  // STR_TF_PLUGIN_AUTOMATIC_OP_PROBE_H_
