// A proven lower bound on the step time, for graphs where several ops are critical at once and one cut (step_bound.h)
// is not enough: the per-op model, solved with integers. docs/certificate.md says what is proven, and why.
#ifndef STR_OPTIMIZER_BOUND_LEANMIX_BOUND_H_
#define STR_OPTIMIZER_BOUND_LEANMIX_BOUND_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "optimizer/bound/leanmix_model.h"
#include "optimizer/bound/usefulness.h"
#include "optimizer/cost/costs.h"
#include "optimizer/graph/graph.h"

namespace str::optimizer {

struct LeanMixBoundOptions {
  int64_t budget_bytes = 0;
  // Whether the plans may copy tensors to the host and back, which without copy rates none can.
  bool copies = true;
  // Of a plan that is known: the model is about plans that are not slower, and the bound is at most this.
  double incumbent_seconds = 0;
  // By position in the order: how long after the end of the op before it that plan begins it. A hint; may be empty.
  std::vector<double> lost_seconds;
  // No more is asked for; 0: as much as can be had.
  double enough_seconds = 0;
  // Whether solutions are of interest, or the bound alone. For solutions the model also looks at the memory of reruns
  // where everything fits during first runs, which makes it larger.
  bool solutions = false;
  absl::Duration time_limit = absl::InfiniteDuration();
  // May be null; may be set at any time.
  const std::atomic<bool>* stop = nullptr;
  // Bound so far, now and then; may be empty.
  std::function<void(double seconds)> progress;
};

struct LeanMixBound {
  // At least the nodes' own time, and no more where the model is too large to be solved.
  double seconds = 0;
  // What the best solution does that was found, and the window outside which it says nothing; empty if there is none.
  std::vector<LeanMixFate> fates;
  Window window;
};

// `order` holds each node of the program once.
absl::StatusOr<LeanMixBound> FindLeanMixBound(const Graph& graph, const Costs& costs, const std::vector<NodeId>& order,
                                              const LeanMixBoundOptions& options);

}  // namespace str::optimizer

#endif  // STR_OPTIMIZER_BOUND_LEANMIX_BOUND_H_
