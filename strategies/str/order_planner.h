// Plans for one order of the nodes, in stages that the caller asks for one after the other: each costs more time than
// the one before, so that orders can be compared before most of the time is spent on one of them (str_planner.cc).
//
//   FindLeast       the plan that needs the least memory
//   FindGreedy      a plan within milliseconds
//   SearchBriefly   a short search from there
//   FindBound       how fast a plan in this order may be at best
//   Plan            search, and the judge's word on what was found
//   SearchWidely    a much longer search, for gaps that stay wide
//   TakeBack        without decisions that turn out to be needless
//
// Not thread-safe; different objects may be used at the same time, except that all call the same `progress`.
#ifndef STR_STRATEGIES_STR_ORDER_PLANNER_H_
#define STR_STRATEGIES_STR_ORDER_PLANNER_H_

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "optimizer/bound/step_bound.h"
#include "optimizer/simulator/program.h"
#include "strategies/needs.h"
#include "strategies/planner.h"
#include "strategies/str/annealer.h"
#include "strategies/str/evaluator.h"
#include "strategies/str/lean_model.h"
#include "strategies/str/least_memory.h"
#include "strategies/str/portfolio.h"
#include "strategies/str/problem.h"
#include "strategies/str/search.h"

namespace str::strategies {

// Above it the usual search seldom helps: nodes are moved first, and a search that takes much longer is worth its time.
inline constexpr double kVeryWideGap = 0.03;

class OrderPlanner {
 public:
  // What is passed by reference or pointer must outlive this. `stop` may be null.
  OrderPlanner(const PlanRequest& request, const ProblemOptions& options, std::string order_name,
               const std::vector<optimizer::NodeId>& order, const Limit* limit, const ProgressCallback& progress,
               const std::atomic<bool>* stop);

  const std::string& order_name() const { return order_name_; }
  // All nodes, also those outside the program.
  const std::vector<optimizer::NodeId>& order() const { return order_; }

  absl::Status FindLeast();
  // After FindLeast. Its program is empty if the host has no room, whatever is dropped.
  const LeastMemory& least() const { return least_; }

  // `thorough`: where the plan is poor, more starts than one; each takes as long again.
  void FindGreedy(bool thorough);
  // Expects FindGreedy.
  void SearchBriefly();
  // Takes the decisions as the best so far if they fit and are.
  void TryStart(const Decisions& decisions);
  // The best decisions so far; they fit the budget if expected_seconds is finite.
  const Decisions& start() const { return start_; }
  // By the evaluator's estimate, of the best decisions so far; infinite if none fit the budget.
  double expected_seconds() const { return start_seconds_; }

  // The judge's word on the greedy plan and the one that needs the least memory. Expects FindLeast and FindGreedy, and
  // that the budget is at least what the least-memory plan needs.
  absl::Status ConsiderStarts();
  // Once; later calls do nothing.
  absl::Status FindBound();
  // Expects ConsiderStarts.
  absl::Status Plan();
  // Expects Plan.
  absl::Status SearchWidely();
  // Undoes decisions without which the plan is no slower and still fits: a search under a tightened budget, or one that
  // estimates memory, makes more than necessary.
  absl::Status TakeBack();

  // The best plan that fits, by the judge; empty if none was found.
  const optimizer::Program& program() const { return best_; }
  double seconds() const { return best_seconds_; }
  double bound_seconds() const { return bound_.seconds; }
  // Whether the bound is more than the nodes' own time, or that is enough.
  bool has_bound() const { return has_bound_ || Proven(kOptimalGap); }
  bool Proven(double gap) const { return !best_.empty() && best_seconds_ <= bound_.seconds * (1 + gap); }

 private:
  // Reduces what everything kept needs to `target_bytes` by the given means, and takes the result as the start if it
  // is the best so far that fits the budget.
  void TryGreedy(int64_t target_bytes, Means means);
  // A search among plans that only swap or only recompute, so that the planners of such plans seldom find a better one.
  absl::Status SearchRestricted(Means means);
  absl::Status SearchPlaced(bool widely);
  PortfolioOptions SearchOptions(int64_t budget) const;
  AnnealResult SearchUnder(int64_t budget, bool widely, const Decisions& start);
  void Report(absl::string_view what, double seconds) const;
  bool HostFits(const Needs& needs) const;
  absl::StatusOr<int64_t> Consider(const Decisions& decisions, int64_t budget);
  absl::StatusOr<int64_t> Consider(const optimizer::Program& program);
  absl::Status ConsiderTighter(const Decisions& decisions, int64_t budget);
  absl::Status ConsiderOthers(const AnnealResult& found, int64_t budget);
  std::vector<optimizer::TensorId> DecidedTensors() const;

  const PlanRequest& request_;
  const std::string order_name_;
  const std::vector<optimizer::NodeId> order_;
  const Limit& limit_;
  const ProgressCallback& progress_;
  const std::atomic<bool>* const stop_;
  const bool allow_swap_;
  const Problem problem_;
  const LeanModel model_;
  Search search_;
  Evaluator evaluator_;
  LeastMemory least_;
  // By FindGreedy at the budget itself. Need not fit; empty: not asked for.
  Decisions greedy_;
  // The best so far. Fits the budget unless start_seconds_ is infinite.
  Decisions start_;
  double start_seconds_;
  optimizer::StepBound bound_;
  bool has_bound_ = false;
  optimizer::Program best_;
  double best_seconds_ = 0;
};

}  // namespace str::strategies

#endif  // STR_STRATEGIES_STR_ORDER_PLANNER_H_
