// Whether a strategy is a program for this very graph. Both must have passed their own validators.
#ifndef STR_CONFIG_STRATEGY_AGAINST_GRAPH_H_
#define STR_CONFIG_STRATEGY_AGAINST_GRAPH_H_

#include "absl/status/status.h"
#include "config/graph.pb.h"
#include "config/strategy.pb.h"

namespace str::config {

// FailedPrecondition naming the first difference: the fingerprint; a node or output that does not exist; an output of
// another type or shape; a node that is run too early or never; a rerun that is not allowed; a tensor that is taken
// while only the host has it. Every node must be run once, except RECOMPUTE_EXTERNAL and RECOMPUTE_CONTROL_FLOW ones,
// which may be left out; order is also kept through those.
absl::Status CheckStrategyAgainstGraph(const StrategyFile& strategy, const GraphFile& graph);

}  // namespace str::config

#endif  // STR_CONFIG_STRATEGY_AGAINST_GRAPH_H_
