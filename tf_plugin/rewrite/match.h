// File: match.h
//
// Is a strategy for this graph? If not, what is the first difference?
#ifndef STR_TF_PLUGIN_REWRITE_MATCH_H_
#define STR_TF_PLUGIN_REWRITE_MATCH_H_

#include "absl/status/status.h"
#include "config/strategy.pb.h"
#include "tf_plugin/graph/graph_view.h"

namespace str::rewrite {

// OK if the strategy was made for exactly this graph and TensorFlow. Otherwise FailedPrecondition with the first
// difference, by name: TensorFlow's version, a node that only one of them has, a dtype or shape that differs.
absl::Status MatchStrategy(const config::StrategyFile& strategy, const graph::GraphView& view);

}  // namespace str::rewrite

#endif  // STR_TF_PLUGIN_REWRITE_MATCH_H_
