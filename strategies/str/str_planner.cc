#include "strategies/str/str_planner.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "config/text_units.h"
#include "optimizer/bound/step_bound.h"
#include "optimizer/explain/undo.h"
#include "optimizer/order/orders.h"
#include "optimizer/simulator/judge.h"
#include "strategies/needs.h"
#include "strategies/registry.h"
#include "strategies/str/cut_start.h"
#include "strategies/str/evaluator.h"
#include "strategies/str/least_memory.h"
#include "strategies/str/portfolio.h"
#include "strategies/str/problem.h"
#include "strategies/str/search.h"

namespace str::strategies {
namespace {

using optimizer::Program;

constexpr double kWideGap = 0.01;
// Sums of the same times in another order differ by less.
constexpr double kRounding = 1e-9;
// Rounds of planning with a tighter budget, because the buffers of the plan so far could not be placed within it.
constexpr int kPlacementRounds = 6;
// Of the budget: less would mostly give the same plan again, more gives away what another packing may not need.
constexpr int64_t kSmallestTightening = 200;
constexpr int64_t kLargestTightening = 60;
// Of the memory that the step may use: up to where copies are hidden if all of it cannot be placed.
constexpr double kRelaxedShares[] = {0.97, 0.93, 0.88, 0.8, 0.65, 0};
// How many decisions of the plan found are looked at once more.
constexpr int kMostTakeBacks = 100;

// Plans for one order of the nodes.
class OrderPlanner {
 public:
  OrderPlanner(const PlanRequest& request, const ProblemOptions& options, const optimizer::CandidateOrder& order,
               const Limit* limit, const ProgressCallback& progress, const std::atomic<bool>* stop)
      : request_(request),
        limit_(*limit),
        progress_(progress),
        stop_(stop),
        allow_swap_(options.allow_swap),
        problem_(request.graph, request.costs, order.nodes, options),
        model_(&problem_),
        search_(&model_, limit, request.host_limit_bytes),
        evaluator_(&problem_) {
    bound_.seconds = (1 - kRounding) * problem_.compute_seconds();
  }

  absl::Status FindLeast() {
    absl::StatusOr<LeastMemory> least = FindLeastMemory(request_, problem_, &search_, &evaluator_);
    if (!least.ok()) return least.status();
    least_ = *std::move(least);
    return absl::OkStatus();
  }

  const LeastMemory& least() const { return least_; }

  // Expects that the budget is at least what the least memory plan needs, which is the plan if nothing better is found.
  absl::Status Plan() {
    if (absl::Status status = Consider(least_.program).status(); !status.ok()) return status;
    // Before the bound, which may take all the time that there is.
    greedy_ = problem_.KeepEverything();
    if (search_.Reduce(request_.budget_bytes, &greedy_)) search_.CleanUp(request_.budget_bytes, &greedy_);
    const absl::StatusOr<int64_t> greedy_bytes = Consider(greedy_, request_.budget_bytes);
    if (!greedy_bytes.ok()) return greedy_bytes.status();
    if (*greedy_bytes > request_.budget_bytes) {
      if (absl::Status status = ConsiderTighter(greedy_, request_.budget_bytes); !status.ok()) return status;
    }
    if (!proven()) {
      if (absl::Status status = FindBound(); !status.ok()) return status;
      if (absl::Status status = SearchPlaced(); !status.ok()) return status;
    }
    return TakeBack();
  }

  const Program& program() const { return best_; }
  double bound_seconds() const { return bound_.seconds; }
  bool proven() const { return !best_.empty() && best_seconds_ <= bound_.seconds * (1 + kOptimalGap); }

 private:
  // Searches under the budget, and under tighter ones as long as the buffers of what is found cannot be placed.
  absl::Status SearchPlaced() {
    int64_t budget = request_.budget_bytes;
    Decisions start;
    for (int round = 0; round < kPlacementRounds && !limit_.Reached(); ++round) {
      const AnnealResult found = SearchUnder(budget, start);
      if (!found.fits) return absl::OkStatus();
      absl::StatusOr<int64_t> fit_bytes = Consider(found.decisions, budget);
      if (!fit_bytes.ok()) return fit_bytes.status();
      if (*fit_bytes <= request_.budget_bytes) return absl::OkStatus();
      if (absl::Status status = ConsiderTighter(found.decisions, budget); !status.ok()) return status;
      if (best_seconds_ <= bound_.seconds * (1 + request_.gap)) return absl::OkStatus();
      if (budget <= least_.peak_bytes) return absl::OkStatus();
      const int64_t step =
          std::clamp(*fit_bytes - request_.budget_bytes, budget / kSmallestTightening, budget / kLargestTightening);
      budget = std::max(least_.peak_bytes, budget - step);
      start = found.decisions;
    }
    return absl::OkStatus();
  }

  // Until then, and if there is no time for it, every node must run once.
  absl::Status FindBound() {
    if (limit_.Reached()) return absl::OkStatus();
    optimizer::StepBoundOptions options;
    options.budget_bytes = request_.budget_bytes;
    options.copies = allow_swap_;
    options.time_limit = std::min(options.time_limit, limit_.Left());
    options.threads = request_.threads;
    options.stop = stop_;
    absl::StatusOr<optimizer::StepBound> bound =
        optimizer::FindStepBound(*request_.graph, *request_.costs, problem_.nodes(), options);
    if (!bound.ok()) return absl::Status(bound.status().code(), absl::StrCat("bound: ", bound.status().message()));
    bound_ = *std::move(bound);
    return absl::OkStatus();
  }

  // `start` is what was found for a somewhat larger budget; empty: nothing yet.
  AnnealResult SearchUnder(int64_t budget, const Decisions& start) {
    std::vector<Decisions> starts;
    if (!start.empty()) starts.push_back(start);
    for (const optimizer::CutPlan& plan : bound_.plans) starts.push_back(StartFromCut(problem_, plan));
    if (start.empty()) starts.push_back(greedy_);
    PortfolioOptions options;
    options.budget_bytes = budget;
    options.host_limit_bytes = request_.host_limit_bytes;
    options.threads = request_.threads;
    options.seed = request_.seed;
    options.brief = !start.empty();
    options.good_enough_seconds = bound_.seconds * (1 + request_.gap);
    options.wide_seconds = bound_.seconds * (1 + kWideGap);
    if (progress_) {
      options.progress = [this](const AnnealResult& best) {
        if (best.fits) Say("searching at", best.evaluation.seconds);
      };
    }
    AnnealResult found = RunPortfolio(model_, starts, options, limit_);
    if (found.fits || limit_.Reached()) return found;
    return RunPortfolio(model_, {least_.decisions}, options, limit_);
  }

  // "best" is what the judge says of a plan that fits; where the search is, it estimates.
  void Say(absl::string_view what, double seconds) const {
    if (!progress_) return;
    progress_(absl::StrFormat("%s %.6f s, bound %.6f s, gap %.3f %%", what, seconds, bound_.seconds,
                              100 * (seconds / bound_.seconds - 1)));
  }

  bool HostFits(const Needs& needs) const {
    return request_.host_limit_bytes == 0 || needs.host_peak_bytes <= request_.host_limit_bytes;
  }

  // Takes the decisions' program under `budget` if it fits as placed and is faster than the one so far. Returns what it
  // needs.
  absl::StatusOr<int64_t> Consider(const Decisions& decisions, int64_t budget) {
    if (!evaluator_.Evaluate(decisions, budget).valid) return std::numeric_limits<int64_t>::max();
    return Consider(evaluator_.program());
  }

  // The same decisions with copies hidden only where memory is low: less to hide behind, but easier to place.
  absl::Status ConsiderTighter(const Decisions& decisions, int64_t budget) {
    const int64_t external = problem_.graph().external_bytes();
    for (const double share : kRelaxedShares) {
      const int64_t relaxed_budget = external + static_cast<int64_t>(share * static_cast<double>(budget - external));
      const Evaluation evaluation = evaluator_.Evaluate(decisions, relaxed_budget);
      if (!evaluation.valid) return absl::OkStatus();
      if (!best_.empty() && evaluation.seconds >= best_seconds_) return absl::OkStatus();
      const absl::StatusOr<int64_t> fit_bytes = Consider(evaluator_.program());
      if (!fit_bytes.ok()) return fit_bytes.status();
      if (*fit_bytes <= request_.budget_bytes) return absl::OkStatus();
    }
    return absl::OkStatus();
  }

  absl::StatusOr<int64_t> Consider(const Program& program) {
    const absl::StatusOr<Needs> needs = FindNeeds(request_, program, request_.budget_bytes);
    if (!needs.ok()) return needs.status();
    if (!HostFits(*needs)) return std::numeric_limits<int64_t>::max();
    const bool fits = needs->bytes <= request_.budget_bytes;
    if (!fits || (!best_.empty() && needs->seconds >= best_seconds_)) return needs->bytes;
    best_ = program;
    best_seconds_ = needs->seconds;
    Say("best", best_seconds_);
    return needs->bytes;
  }

  // Takes back decisions without which the plan fits as well and is as fast: a search under a tightened budget, or one
  // that estimates memory, does more than need be.
  absl::Status TakeBack() {
    for (const optimizer::TensorId root : DecidedTensors()) {
      if (limit_.Reached()) return absl::OkStatus();
      const absl::StatusOr<Program> without = optimizer::Undo(problem_.graph(), best_, root);
      if (!without.ok()) return without.status();
      // Placing takes long: only what may be taken is placed.
      const absl::StatusOr<optimizer::Verdict> verdict = optimizer::Judge(problem_.graph(), problem_.costs(), *without);
      if (!verdict.ok()) return verdict.status();
      if (verdict->peak_bytes() > request_.budget_bytes || verdict->seconds() > best_seconds_) continue;
      const absl::StatusOr<Needs> needs = FindNeeds(request_, *without, request_.budget_bytes);
      if (!needs.ok()) return needs.status();
      if (needs->bytes > request_.budget_bytes || !HostFits(*needs)) continue;
      best_ = *without;
      best_seconds_ = needs->seconds;
    }
    return absl::OkStatus();
  }

  // What the best plan copies or makes again, the largest first.
  std::vector<optimizer::TensorId> DecidedTensors() const {
    const optimizer::Graph& graph = problem_.graph();
    std::vector<bool> is_decided(graph.tensor_count(), false);
    for (const optimizer::Step& step : best_) {
      if (step.action == optimizer::Action::kSwapOut) is_decided[step.id] = true;
      if (step.action != optimizer::Action::kRerun) continue;
      const optimizer::Node& node = graph.node(step.id);
      for (int i = 0; i < node.outputs; ++i) is_decided[node.first_tensor + i] = true;
    }
    std::vector<optimizer::TensorId> decided;
    for (optimizer::TensorId id = 0; id < graph.tensor_count(); ++id) {
      if (is_decided[id] && graph.tensor(id).view_of == optimizer::kNone) decided.push_back(id);
    }
    std::stable_sort(decided.begin(), decided.end(), [&](optimizer::TensorId a, optimizer::TensorId b) {
      return graph.tensor(a).bytes > graph.tensor(b).bytes;
    });
    if (decided.size() > kMostTakeBacks) decided.resize(kMostTakeBacks);
    return decided;
  }

  const PlanRequest& request_;
  const Limit& limit_;
  const ProgressCallback& progress_;
  const std::atomic<bool>* const stop_;
  const bool allow_swap_;
  const Problem problem_;
  const LeanModel model_;
  Search search_;
  Evaluator evaluator_;
  LeastMemory least_;
  Decisions greedy_;
  optimizer::StepBound bound_;
  Program best_;
  double best_seconds_ = 0;
};

}  // namespace

absl::StatusOr<PlanResult> StrPlanner::Plan(const PlanRequest& request, const ProgressCallback& progress,
                                            const std::atomic<bool>* stop) const {
  if (options_.allow_swap) {
    if (absl::Status status = optimizer::RequireCopyRates(*request.costs); !status.ok()) return status;
  }
  const Limit limit(request.time_limit, stop);
  const absl::StatusOr<std::vector<optimizer::CandidateOrder>> orders =
      optimizer::FindOrders(*request.graph, *request.costs);
  if (!orders.ok()) return orders.status();
  ProblemOptions options;
  options.allow_swap = options_.allow_swap;
  options.allow_recompute = options_.allow_recompute;
  options.peak_bytes = orders->front().peak_bytes;
  options.pins = &request.pins;

  PlanResult result;
  result.status = PlanStatus::kInfeasible;
  std::unique_ptr<OrderPlanner> chosen;
  for (const optimizer::CandidateOrder& order : *orders) {
    auto planner = std::make_unique<OrderPlanner>(request, options, order, &limit, progress, stop);
    if (absl::Status status = planner->FindLeast(); !status.ok()) return status;
    const LeastMemory& least = planner->least();
    // Whatever is dropped, the host has no room.
    if (least.program.empty()) continue;
    if (progress) {
      progress(absl::StrCat(order.name, " order needs ", config::FormatBytes(order.peak_bytes),
                            " with everything kept, at least ", config::FormatBytes(least.fit_bytes)));
    }
    if (result.min_budget_bytes == 0 || least.fit_bytes < result.min_budget_bytes) {
      result.min_budget_bytes = least.fit_bytes;
      result.least_memory_program = least.program;
    }
    if (least.fit_bytes > request.budget_bytes) continue;
    chosen = std::move(planner);
    break;
  }
  if (chosen == nullptr) {
    if (limit.Reached()) result.status = PlanStatus::kLimit;
    return result;
  }
  if (absl::Status status = chosen->Plan(); !status.ok()) return status;
  result.status = chosen->proven() ? PlanStatus::kOptimal : PlanStatus::kFeasible;
  result.program = chosen->program();
  result.bound_seconds = chosen->bound_seconds();
  return result;
}

namespace {

const PlannerRegistration kMixed(std::make_unique<StrPlanner>(StrPlannerOptions{
    "str", "swaps and recomputes, whichever costs less time (default)", true, true}));
const PlannerRegistration kSwapOnly(std::make_unique<StrPlanner>(StrPlannerOptions{
    "swap-only", "swaps, never recomputes", true, false}));
const PlannerRegistration kRecomputeOnly(std::make_unique<StrPlanner>(StrPlannerOptions{
    "recompute-only", "recomputes, never swaps", false, true}));

}  // namespace
}  // namespace str::strategies
