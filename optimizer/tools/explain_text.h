// What `str explain` says: a table for people, and the same as JSON.
#ifndef STR_OPTIMIZER_TOOLS_EXPLAIN_TEXT_H_
#define STR_OPTIMIZER_TOOLS_EXPLAIN_TEXT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "optimizer/explain/explanation.h"
#include "optimizer/graph/graph.h"
#include "optimizer/tools/json.h"

namespace str::tools {

// What is live at the peak, largest first: lines for people.
std::string PeakText(const optimizer::Graph& graph, const optimizer::Explanation& explanation);

// Two lines a tensor: figures, then the reason. Without `all` only tensors that are decided or live at the peak, and of
// those that are kept only large ones; a last line counts the others.
std::string TensorTable(const optimizer::Graph& graph, const optimizer::Explanation& explanation, bool all);

// Everything about one tensor. `asked` may be a view of it.
std::string TensorText(const optimizer::Graph& graph, const optimizer::TensorFate& fate, optimizer::TensorId asked);

// `peak_bytes`, `peak_node`, `live_at_peak` and `tensors`, all of them.
JsonObject ExplanationJson(const optimizer::Graph& graph, const optimizer::Explanation& explanation);

}  // namespace str::tools

#endif  // STR_OPTIMIZER_TOOLS_EXPLAIN_TEXT_H_
