// A proven lower bound on the step time of every plan that runs the nodes for the first time in a given order and whose
// peak fits a budget. docs/certificate.md says what is proven, about which plans, and why.
#ifndef STR_OPTIMIZER_BOUND_STEP_BOUND_H_
#define STR_OPTIMIZER_BOUND_STEP_BOUND_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "optimizer/cost/costs.h"
#include "optimizer/graph/graph.h"
#include "optimizer/simulator/program.h"

namespace str::optimizer {

struct StepBoundOptions {
  int64_t budget_bytes = 0;
  // Whether the plans may copy tensors to the host and back, which without copy rates none can. A bound for plans that
  // may not is higher, and says nothing about plans that do.
  bool copies = true;
  // Of the two searches for integer solutions, each. Without them the bound is still one, only lower.
  absl::Duration time_limit = absl::Seconds(5);
  // A bound of this much is enough: no more is done for a better one. 0: as good as it gets.
  double enough_seconds = 0;
  // How many cuts are solved at the same time, at most.
  int threads = 1;
  // May be null; may be set at any time.
  const std::atomic<bool>* stop = nullptr;
  // One line for people; may be empty.
  std::function<void(absl::string_view)> progress;
};

// What the solution of a cut does with a tensor that is made before the cut and wanted after it.
enum class CutFate : int8_t { kResident, kFetched, kRerun };

// A plan for one moment, and a good start for a whole one.
struct CutPlan {
  // The node that is run at that moment.
  NodeId cut = kNone;
  std::vector<std::pair<TensorId, CutFate>> fates;
};

struct StepBound {
  // At least the nodes' own time.
  double seconds = 0;
  // Of the cuts for which integer solutions were found, the most promising first.
  std::vector<CutPlan> plans;
};

// The nodes of the program in the order of their first runs.
std::vector<NodeId> FirstRuns(const Program& program);

// `order` holds each node of the program once.
absl::StatusOr<StepBound> FindStepBound(const Graph& graph, const Costs& costs, const std::vector<NodeId>& order,
                                        const StepBoundOptions& options);

// The same for plans that run the nodes in any order that the graph's edges allow; lower, and for graphs of several
// thousand nodes only the nodes' own time. `order` is one of these orders.
absl::StatusOr<double> FindAnyOrderBound(const Graph& graph, const Costs& costs, const std::vector<NodeId>& order,
                                         const StepBoundOptions& options);

}  // namespace str::optimizer

#endif  // STR_OPTIMIZER_BOUND_STEP_BOUND_H_
