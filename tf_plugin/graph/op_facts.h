// File: op_facts.h
//
// What is known of an op by its type: may it be run again, does it read or change a variable, does its output share an
// input's buffer. What a kernel really does is observed during capture; this is where nothing was observed.
#ifndef STR_TF_PLUGIN_GRAPH_OP_FACTS_H_
#define STR_TF_PLUGIN_GRAPH_OP_FACTS_H_

#include <string>
#include <vector>

#include "config/graph.pb.h"
#include "tensorflow/core/graph/graph.h"

namespace str::graph {

// Control flow is not seen here: see control_flow.h.
config::Recompute RecomputeOf(const tensorflow::Node& node);

// Whether the kernel draws random numbers from a state of its own.
bool IsRandom(const std::string& op);

config::VariableUse VariableUseOf(const tensorflow::Node& node);

// Whether ops of this type change the variable whose handle they take.
bool ChangesVariable(const std::string& op);

// Whether a node with this op and name computes gradients, as far as both tell.
bool IsOfGradients(const std::string& op, const std::string& name);

// The node that holds the handle of the variable that `node` reads or changes; null if it does neither.
const tensorflow::Node* VariableOf(const tensorflow::Node& node);

// The executor passes over such nodes: no kernel is called, and the device never hears of them.
bool IsNeverComputed(const tensorflow::Node& node);

// Output 0 always shares the buffer of input 0.
bool IsView(const std::string& op);

// Output 0 is a list whose elements are slices of input 0: whoever holds the list holds the input's buffer.
bool IsListOfSlices(const std::string& op);

// Inputs that the kernel takes over for output 0 when it alone holds them, in the order in which it tries them.
std::vector<int> ForwardedInputs(const tensorflow::Node& node);

// Whether the kernel starts to sum with the input whose buffer it takes over, so that the rounding of its result
// depends on who else holds its inputs. Two addends commute; with more the order counts.
bool SumsInOrderOfBuffers(const std::string& op, int inputs);

}  // namespace str::graph

#endif  // STR_TF_PLUGIN_GRAPH_OP_FACTS_H_
