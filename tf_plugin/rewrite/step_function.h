// File: step_function.h
//
// Replaces a graph by one node that runs it: StrStep, with the planned and the plain graph as functions behind it
// (kernels/planned_step.h).
#ifndef STR_TF_PLUGIN_REWRITE_STEP_FUNCTION_H_
#define STR_TF_PLUGIN_REWRITE_STEP_FUNCTION_H_

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "tensorflow/core/graph/graph.h"
#include "tf_plugin/kernels/planned_step.h"

namespace str::rewrite {

// Name of the one node that is left beside arguments and results: this and the step's own name. A session keeps
// stateful kernels by the node's name, so that no two steps may share one.
inline constexpr char kStepNodePrefix[] = "str/step_";

// True for a graph that MakeOuterGraph made.
bool IsWrapped(const tensorflow::Graph& graph);

// Adds the graph as a function, with all that it calls out of `functions`.
absl::Status AddBody(const tensorflow::Graph& graph, const std::string& name,
                     const tensorflow::FunctionLibraryDefinition& functions,
                     tensorflow::FunctionLibraryDefinition& library);

// A step with both graphs, which have the same arguments and results, as its bodies. `name` is of this step alone in the
// whole process; `functions` has what the graphs call.
absl::StatusOr<std::shared_ptr<const kernels::PlannedStep>> MakePlannedStep(
    const std::string& name, const tensorflow::Graph& planned, const tensorflow::Graph& plain,
    const tensorflow::FunctionLibraryDefinition& functions, std::shared_ptr<kernels::StepGuard> guard, bool strict);

// The arguments of `graph` -> one node of type `op` for the step `name` -> its results.
absl::StatusOr<std::unique_ptr<tensorflow::Graph>> MakeOuterGraph(const std::string& name, const std::string& op,
                                                                  const tensorflow::Graph& graph);

// Both graphs have the arguments and results of `graph`, which then has the step in place of what was between them.
// `name` is of this step alone in the whole process; `functions` has what the graphs call. On an error `graph` is as it
// was.
absl::Status WrapStep(const std::string& name, const tensorflow::Graph& planned,
                      const tensorflow::FunctionLibraryDefinition& functions, std::shared_ptr<kernels::StepGuard> guard,
                      bool strict, std::unique_ptr<tensorflow::Graph>& graph);

}  // namespace str::rewrite

#endif  // STR_TF_PLUGIN_REWRITE_STEP_FUNCTION_H_
