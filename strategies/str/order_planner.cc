#include "strategies/str/order_planner.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "optimizer/explain/undo.h"
#include "optimizer/simulator/judge.h"
#include "strategies/str/cut_start.h"

namespace str::strategies {
namespace {

using optimizer::Program;

// Below it, what plans that only swap or only recompute could gain is too little to look for.
constexpr double kRestrictedGap = 0.005;
// A greedy plan this share above computing alone is a good start: others are not tried.
constexpr double kGoodStart = 5e-4;
// Of the budget. Where the greedy plan is poor, one for less memory, with what it need not do taken back, may be
// better.
constexpr double kLadder[] = {0.95, 0.9, 0.8};
// Of a search's usual length: enough to tell good orders from poor ones.
constexpr double kBriefEffort = 0.1;
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

}  // namespace

OrderPlanner::OrderPlanner(const PlanRequest& request, const ProblemOptions& options, std::string order_name,
                           const std::vector<optimizer::NodeId>& order, const Limit* limit,
                           const ProgressCallback& progress, const std::atomic<bool>* stop)
    : request_(request),
      order_name_(std::move(order_name)),
      order_(order),
      limit_(*limit),
      progress_(progress),
      stop_(stop),
      allow_swap_(options.allow_swap),
      problem_(request.graph, request.costs, order, options),
      model_(&problem_),
      search_(&model_, limit, request.host_limit_bytes),
      evaluator_(&problem_),
      start_(problem_.KeepEverything()),
      start_seconds_(std::numeric_limits<double>::infinity()) {
  bound_.seconds = (1 - kRounding) * problem_.compute_seconds();
}

absl::Status OrderPlanner::FindLeast() {
  absl::StatusOr<LeastMemory> least = FindLeastMemory(request_, problem_, &search_, &evaluator_);
  if (!least.ok()) return least.status();
  least_ = *std::move(least);
  return absl::OkStatus();
}

void OrderPlanner::TryStart(const Decisions& decisions) {
  const Evaluation evaluation = search_.evaluator().Evaluate(decisions, request_.budget_bytes);
  if (!search_.Fits(evaluation, request_.budget_bytes) || evaluation.seconds >= start_seconds_) return;
  start_ = decisions;
  start_seconds_ = evaluation.seconds;
}

void OrderPlanner::TryGreedy(int64_t target_bytes, Means means) {
  Decisions decisions = problem_.KeepEverything();
  search_.Reduce(target_bytes, means, &decisions);
  search_.CleanUp(request_.budget_bytes, &decisions);
  TryStart(decisions);
}

void OrderPlanner::FindGreedy(bool thorough) {
  const int64_t budget = request_.budget_bytes;
  greedy_ = problem_.KeepEverything();
  search_.Reduce(budget, Means::kAll, &greedy_);
  search_.CleanUp(budget, &greedy_);
  TryStart(greedy_);
  if (!thorough || start_seconds_ <= (1 + kGoodStart) * problem_.compute_seconds()) return;
  for (const double share : kLadder) {
    if (limit_.Reached()) return;
    TryGreedy(static_cast<int64_t>(share * static_cast<double>(budget)), Means::kAll);
  }
  TryGreedy(budget, Means::kSwap);
  TryGreedy(budget, Means::kRecompute);
  if (!least_.decisions.empty()) {
    Decisions decisions = least_.decisions;
    search_.CleanUp(budget, &decisions);
    TryStart(decisions);
  }
}

void OrderPlanner::SearchBriefly() {
  if (limit_.Reached() || greedy_.empty()) return;
  PortfolioOptions options = SearchOptions(request_.budget_bytes);
  options.threads = 1;
  options.length = PortfolioOptions::Length::kBrief;
  options.effort = kBriefEffort;
  options.good_enough_seconds = bound_.seconds * (1 + kOptimalGap);
  const Decisions& start = std::isfinite(start_seconds_) ? start_ : greedy_;
  const AnnealResult found = RunPortfolio(model_, {start}, options, limit_);
  if (found.fits) TryStart(found.decisions);
}

absl::Status OrderPlanner::ConsiderStarts() {
  if (!least_.program.empty()) {
    if (absl::Status status = Consider(least_.program).status(); !status.ok()) return status;
  }
  const absl::StatusOr<int64_t> bytes = Consider(start_, request_.budget_bytes);
  if (!bytes.ok()) return bytes.status();
  if (*bytes <= request_.budget_bytes) return absl::OkStatus();
  return ConsiderTighter(start_, request_.budget_bytes);
}

absl::Status OrderPlanner::Plan() {
  if (!Proven(kOptimalGap)) {
    if (absl::Status status = FindBound(); !status.ok()) return status;
    if (absl::Status status = SearchPlaced(/*widely=*/false); !status.ok()) return status;
    for (const Means means : {Means::kRecompute, Means::kSwap}) {
      if (absl::Status status = SearchRestricted(means); !status.ok()) return status;
    }
  }
  return absl::OkStatus();
}

absl::Status OrderPlanner::SearchRestricted(Means means) {
  if (!problem_.allows_both() || Proven(kRestrictedGap) || limit_.Reached()) return absl::OkStatus();
  Decisions start = problem_.KeepEverything();
  search_.Reduce(request_.budget_bytes, means, &start);
  PortfolioOptions options = SearchOptions(request_.budget_bytes);
  options.length = PortfolioOptions::Length::kBrief;
  options.means = means;
  const AnnealResult found = RunPortfolio(model_, {start}, options, limit_);
  if (!found.fits || found.evaluation.seconds >= start_seconds_) return absl::OkStatus();
  TryStart(found.decisions);
  return Consider(found.decisions, request_.budget_bytes).status();
}

absl::Status OrderPlanner::SearchWidely() {
  if (limit_.Reached() || Proven(kVeryWideGap)) return absl::OkStatus();
  return SearchPlaced(/*widely=*/true);
}

// Searches under the budget, and under tighter ones as long as the buffers of what is found cannot be placed.
absl::Status OrderPlanner::SearchPlaced(bool widely) {
  int64_t budget = request_.budget_bytes;
  Decisions start;
  for (int round = 0; round < kPlacementRounds && !limit_.Reached(); ++round) {
    const AnnealResult found = SearchUnder(budget, widely && start.empty(), start);
    if (!found.fits) return absl::OkStatus();
    TryStart(found.decisions);
    absl::StatusOr<int64_t> fit_bytes = Consider(found.decisions, request_.placed ? budget : request_.budget_bytes);
    if (!fit_bytes.ok()) return fit_bytes.status();
    if (*fit_bytes <= request_.budget_bytes) return absl::OkStatus();
    if (absl::Status status = ConsiderTighter(found.decisions, budget); !status.ok()) return status;
    if (absl::Status status = ConsiderOthers(found, budget); !status.ok()) return status;
    if (Proven(request_.gap)) return absl::OkStatus();
    const int64_t step =
        std::clamp(*fit_bytes - request_.budget_bytes, budget / kSmallestTightening, budget / kLargestTightening);
    // Close to the least memory a search takes long and finds nothing of use.
    if (budget - step <= least_.peak_bytes) return absl::OkStatus();
    budget -= step;
    start = found.decisions;
  }
  return absl::OkStatus();
}

// Until then, and if there is no time for it, every node must run once.
absl::Status OrderPlanner::FindBound() {
  if (has_bound_ || limit_.Reached()) return absl::OkStatus();
  has_bound_ = true;
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

PortfolioOptions OrderPlanner::SearchOptions(int64_t budget) const {
  PortfolioOptions options;
  options.budget_bytes = budget;
  options.host_limit_bytes = request_.host_limit_bytes;
  options.threads = request_.threads;
  options.seed = request_.seed;
  options.good_enough_seconds = bound_.seconds * (1 + request_.gap);
  options.wide_seconds = bound_.seconds * (1 + kVeryWideGap);
  return options;
}

// `start` is what was found for a somewhat larger budget; empty: nothing yet.
AnnealResult OrderPlanner::SearchUnder(int64_t budget, bool widely, const Decisions& start) {
  std::vector<Decisions> starts;
  if (!start.empty()) starts.push_back(start);
  if (!widely) {
    for (const optimizer::CutPlan& plan : bound_.plans) starts.push_back(StartFromCut(problem_, plan));
  }
  const bool first = start.empty() && !widely;
  if (start.empty()) starts.push_back(first && !greedy_.empty() ? greedy_ : start_);
  PortfolioOptions options = SearchOptions(budget);
  using Length = PortfolioOptions::Length;
  options.length = widely ? Length::kLong : start.empty() ? Length::kUsual : Length::kBrief;
  if (progress_) {
    options.progress = [this](const AnnealResult& best) {
      if (best.fits) Report("searching at", best.evaluation.seconds);
    };
  }
  AnnealResult found = RunPortfolio(model_, starts, options, limit_);
  // What was better before the search is worth one too.
  if (first && start_seconds_ < (found.fits ? found.evaluation.seconds : std::numeric_limits<double>::infinity())) {
    options.length = Length::kBrief;
    found = RunPortfolio(model_, {start_}, options, limit_);
  }
  if (found.fits || limit_.Reached() || least_.decisions.empty()) return found;
  return RunPortfolio(model_, {least_.decisions}, options, limit_);
}

// "best" is what the judge says of a plan that fits; where the search is, it estimates.
void OrderPlanner::Report(absl::string_view what, double seconds) const {
  if (!progress_) return;
  progress_(absl::StrFormat("%s %.6f s, bound %.6f s, gap %.3f %% (order %s)", what, seconds, bound_.seconds,
                            100 * (seconds / bound_.seconds - 1), order_name_));
}

bool OrderPlanner::HostFits(const Needs& needs) const {
  return request_.host_limit_bytes == 0 || needs.host_peak_bytes <= request_.host_limit_bytes;
}

// Takes the decisions' program under `budget` if it fits as placed and is faster than the one so far. Returns what it
// needs.
absl::StatusOr<int64_t> OrderPlanner::Consider(const Decisions& decisions, int64_t budget) {
  if (!evaluator_.Evaluate(decisions, budget).valid) return std::numeric_limits<int64_t>::max();
  return Consider(evaluator_.program());
}

// Plans almost as fast as the one that could not be placed, until one can be.
absl::Status OrderPlanner::ConsiderOthers(const AnnealResult& found, int64_t budget) {
  for (const Decisions& decisions : found.others) {
    if (limit_.Reached()) return absl::OkStatus();
    const double before = best_.empty() ? std::numeric_limits<double>::infinity() : best_seconds_;
    if (search_.evaluator().Evaluate(decisions, budget).seconds >= before) return absl::OkStatus();
    const absl::StatusOr<int64_t> fit_bytes = Consider(decisions, budget);
    if (!fit_bytes.ok()) return fit_bytes.status();
    if (*fit_bytes <= request_.budget_bytes) return absl::OkStatus();
  }
  return absl::OkStatus();
}

// The same decisions with copies hidden only where memory is low: less to hide behind, but easier to place.
absl::Status OrderPlanner::ConsiderTighter(const Decisions& decisions, int64_t budget) {
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

absl::StatusOr<int64_t> OrderPlanner::Consider(const Program& program) {
  const absl::StatusOr<Needs> needs = FindNeeds(request_, program, request_.budget_bytes);
  if (!needs.ok()) return needs.status();
  if (!HostFits(*needs)) return std::numeric_limits<int64_t>::max();
  const bool fits = needs->bytes <= request_.budget_bytes;
  if (!fits || (!best_.empty() && needs->seconds >= best_seconds_)) return needs->bytes;
  best_ = program;
  best_seconds_ = needs->seconds;
  Report("best", best_seconds_);
  return needs->bytes;
}

absl::Status OrderPlanner::TakeBack() {
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
std::vector<optimizer::TensorId> OrderPlanner::DecidedTensors() const {
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

}  // namespace str::strategies
