// File: step_function.h
//
// Replaces a graph by one node that runs it: StrStep, with the planned and the plain graph as functions behind it
// (kernels/planned_step.h).
#ifndef STR_TF_PLUGIN_REWRITE_STEP_FUNCTION_H_
#define STR_TF_PLUGIN_REWRITE_STEP_FUNCTION_H_

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "tensorflow/core/graph/graph.h"
#include "tf_plugin/kernels/planned_step.h"

namespace str::rewrite {

// Name of the one node that is left beside arguments and results: this and the step's own name. A session keeps
// stateful kernels by the node's name, so that no two steps may share one.
inline constexpr char kStepNodePrefix[] = "str/step_";

// True for a graph that WrapStep made.
bool IsWrapped(const tensorflow::Graph& graph);

// Both graphs have the arguments and results of `graph`, which then has the step in place of what was between them.
// `name` is of this step alone in the whole process; `functions` has what the graphs call. On an error `graph` is as it
// was.
absl::Status WrapStep(const std::string& name, const tensorflow::Graph& planned,
                      const tensorflow::FunctionLibraryDefinition& functions, std::shared_ptr<kernels::StepGuard> guard,
                      bool strict, std::unique_ptr<tensorflow::Graph>& graph);

}  // namespace str::rewrite

#endif  // STR_TF_PLUGIN_REWRITE_STEP_FUNCTION_H_
