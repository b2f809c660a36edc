// File: xla_calls.h
//
// Training steps that TensorFlow would hand to XLA. XLA compiles a function into one opaque call: nothing in it can be
// captured, planned or swapped. Keras asks for that by itself where there is a GPU (jit_compile="auto").
//
// A call is marked by an attribute on the node, on the function that it calls, or on both. Before placement, and before
// functions are inlined, taking the marks away turns the call into an ordinary one. XLA rounds otherwise than
// TensorFlow's own kernels, so the results are those of jit_compile=False.
#ifndef STR_TF_PLUGIN_GRAPH_XLA_CALLS_H_
#define STR_TF_PLUGIN_GRAPH_XLA_CALLS_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "tensorflow/core/framework/function.h"
#include "tensorflow/core/graph/graph.h"

namespace str::graph {

inline constexpr char kXlaAttr[] = "_XlaMustCompile";

// Nodes that call a training function which XLA must compile.
std::vector<tensorflow::Node*> TrainingCallsForXla(const tensorflow::Graph& graph,
                                                   const tensorflow::FunctionLibraryDefinition& library);

// The name of the function that a call node calls.
std::string CalledFunction(const tensorflow::Node& call);

// Takes the marks off the node, the function that it calls and the functions called from there. After an error all is
// as it was.
absl::Status TakeFromXla(tensorflow::Node& call, tensorflow::FunctionLibraryDefinition& library);

struct XlaChoice {
  // Leaves calls to XLA (STR_XLA=keep).
  bool keep = false;
  // A call that cannot be taken from XLA is an error (STR_STRICT=1), not a line.
  bool strict = false;
};
// Does that for all training calls of the graph. Returns what is to be reported, one text for each call.
absl::StatusOr<std::vector<std::string>> SettleXla(tensorflow::Graph& graph,
                                                   tensorflow::FunctionLibraryDefinition& library,
                                                   const XlaChoice& choice);

}  // namespace str::graph

#endif  // STR_TF_PLUGIN_GRAPH_XLA_CALLS_H_
