// A simulated step as a trace for chrome://tracing and Perfetto: one lane for computing, one per copy direction, and
// the bytes in use as a counter.
#ifndef STR_OPTIMIZER_TOOLS_TRACE_H_
#define STR_OPTIMIZER_TOOLS_TRACE_H_

#include <string>

#include "optimizer/graph/graph.h"
#include "optimizer/simulator/judge.h"
#include "optimizer/simulator/program.h"

namespace str::tools {

std::string TraceJson(const optimizer::Graph& graph, const optimizer::Program& program,
                      const optimizer::Verdict& verdict);

}  // namespace str::tools

#endif  // STR_OPTIMIZER_TOOLS_TRACE_H_
