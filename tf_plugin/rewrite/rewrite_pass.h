// File: rewrite_pass.h
//
// Applies the strategy that is for a graph, if there is one.
#ifndef STR_TF_PLUGIN_REWRITE_REWRITE_PASS_H_
#define STR_TF_PLUGIN_REWRITE_REWRITE_PASS_H_

#include <memory>

#include "absl/status/status.h"
#include "tensorflow/core/graph/graph.h"
#include "tf_plugin/graph/graph_view.h"
#include "tf_plugin/rewrite/strategy_store.h"
#include "tf_plugin/rewrite/tier_needs.h"

namespace str::rewrite {

// The steps, in this order:
//   1. match    the strategy of this very graph, by fingerprint;
//   2. tiers    the host and the disk have room for what it swaps;
//   3. rewrite  on a copy of the graph, verified after it, so that whatever fails leaves the original as it was;
//   4. mark     nodes for the device, and register the observer.
// A strategy that does not fit is said once with the first difference, for training graphs only, and the graph stays as
// it is; with `strict` that is an error instead. Running it on a rewritten graph changes nothing.
absl::Status RewriteGraph(const Strategies& strategies, bool strict, std::unique_ptr<tensorflow::Graph>& graph,
                          const TierLimits& limits = {});

}  // namespace str::rewrite

#endif  // STR_TF_PLUGIN_REWRITE_REWRITE_PASS_H_
