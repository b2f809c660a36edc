// File: rewrite_pass.h
//
// Applies the strategy that is for a graph, if there is one.
#ifndef STR_TF_PLUGIN_REWRITE_REWRITE_PASS_H_
#define STR_TF_PLUGIN_REWRITE_REWRITE_PASS_H_

#include <memory>
#include <string>
#include <unordered_map>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "tensorflow/core/graph/graph.h"
#include "tf_plugin/graph/graph_view.h"
#include "tf_plugin/rewrite/plan_observer.h"
#include "tf_plugin/rewrite/strategy_store.h"
#include "tf_plugin/rewrite/tier_needs.h"

namespace str::rewrite {

struct RewriteOptions {
  // A strategy that cannot be used, and a planned step that did not do what was planned, end training.
  bool strict = false;
  // The first step's values are compared (value_check.h).
  bool verify = true;
  TierLimits limits;
  // What the graph calls. Null: the graph's own library has it.
  const tensorflow::FunctionLibraryDefinition* functions = nullptr;
};

// Where a graph runs: the short name of its device, and what it has to know of the step's other devices.
struct GraphPlace {
  std::string device = "CPU:0";
  graph::Surroundings surroundings;
};

// A graph with a strategy's program in it, not yet run.
struct PlannedGraph {
  // Null: the graph stays as it is.
  std::unique_ptr<tensorflow::Graph> graph;
  std::shared_ptr<PlanObserver> observer;
  // Of this graph alone in the whole process. Nodes are marked with it; Register registers the observer under it.
  std::string name;
  // The strategy's file.
  std::string path;
  // To be said once the graph is used (STR-3006); empty if the strategy is of this very graph.
  std::string differences;
};

// The steps, in this order:
//   1. match    the strategy of this very graph, by fingerprint; or of one that differs in the fewest small nodes only;
//   2. tiers    the host and the disk have room for what it swaps;
//   3. rewrite  on a copy of the graph, verified after it, so that whatever fails leaves the original as it was;
//   4. mark     nodes for the device.
// A strategy that does not fit is reported once with the first difference, for training graphs only, and the graph
// stays as it is; with `strict` that is an error instead.
absl::StatusOr<PlannedGraph> PlanGraph(const Strategies& strategies, const RewriteOptions& options,
                                       const tensorflow::Graph& graph, const GraphPlace& place = {});

// Registers the observer with the device, for as long as the guard lives.
std::shared_ptr<kernels::StepGuard> Register(const PlannedGraph& planned);

// Puts a planned graph in the place of `graph`, with the plain one behind it (step_function.h), and registers the
// observer, which lives as long as the step. A graph that cannot be wrapped is refused like a strategy that does not
// fit.
absl::Status PutInPlace(const PlannedGraph& planned, const RewriteOptions& options,
                        std::unique_ptr<tensorflow::Graph>& graph);

// Both, for a graph of a single device. Running it on a rewritten graph changes nothing.
absl::Status RewriteGraph(const Strategies& strategies, const RewriteOptions& options,
                          std::unique_ptr<tensorflow::Graph>& graph);

// TensorFlow's own container of a step's partitions, by the device's full name.
using PartitionGraphs = std::unordered_map<std::string, std::unique_ptr<tensorflow::Graph>>;

// Both, for every partition of a step. Plans for several devices that would wait for each other are refused together.
absl::Status RewritePartitions(const Strategies& strategies, const RewriteOptions& options,
                               PartitionGraphs& partitions);

}  // namespace str::rewrite

#endif  // STR_TF_PLUGIN_REWRITE_REWRITE_PASS_H_
