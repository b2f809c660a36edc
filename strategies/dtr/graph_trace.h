// A graph as DTR sees it: its nodes called in the captured order, each tensor released after its last use.
//
// What may not be run again, what outside nodes hold and what is pinned is kept until nothing can need it any more.
// Bytes are the allocator's, costs nanoseconds. DTR knows no buffers taken over and no copies of variables, so that
// its peak is not the judge's.
#ifndef STR_STRATEGIES_DTR_GRAPH_TRACE_H_
#define STR_STRATEGIES_DTR_GRAPH_TRACE_H_

#include <vector>

#include "absl/status/statusor.h"
#include "optimizer/simulator/program.h"
#include "strategies/dtr/runtime.h"
#include "strategies/dtr/trace.h"
#include "strategies/planner.h"

namespace str::dtr {

struct GraphTrace {
  Trace trace;
  // Per operator.
  std::vector<optimizer::NodeId> nodes;
};

// InvalidArgument if bytes or costs add up to more than can be counted.
absl::StatusOr<GraphTrace> TraceGraph(const strategies::PlanRequest& request);

// The program that a recorded run amounts to.
optimizer::Program ToProgram(const GraphTrace& trace, const RunResult& result);

}  // namespace str::dtr

#endif  // STR_STRATEGIES_DTR_GRAPH_TRACE_H_
