#include "optimizer/bound/step_bound.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/strings/str_format.h"
#include "absl/synchronization/mutex.h"
#include "optimizer/bound/cut_problem.h"
#include "optimizer/bound/cut_view.h"
#include "optimizer/bound/min_cut.h"
#include "optimizer/bound/reach.h"
#include "optimizer/bound/single_cut.h"
#include "optimizer/ilp/highs_solver.h"
#include "optimizer/parallel/run_parallel.h"
#include "optimizer/simulator/simulator.h"

namespace str::optimizer {
namespace {

// Storages below this share of the budget count as nothing: they make models large and bounds hardly better.
constexpr int64_t kSmallShare = 10000;
// Cuts of each kind that are tried, and on how many of them integers are searched.
constexpr size_t kCutsOfAKind = 8;
constexpr int kSearchedCuts = 2;
constexpr double kSearchGap = 2e-5;
// Larger graphs get no bound for every order but their nodes' own time.
constexpr int kMostPositionsInAnyOrder = 4000;
// Of the nodes' own time, taken off what a solver says: its floating point is not exact.
constexpr double kSolverMargin = 1e-6;
// The same for our own sums.
constexpr double kSumMargin = 1e-12;

// Ops at which keeping everything is above the budget: the worst, those that need most themselves, and some of all.
absl::StatusOr<std::vector<int>> ChooseCuts(const Graph& graph, const Costs& costs, const std::vector<NodeId>& order,
                                            const CutProblem& problem, int64_t budget_bytes) {
  Simulator simulator(&graph, &costs);
  Simulation simulation;
  SimulationDetail detail;
  detail.profile = true;
  if (absl::Status status = simulator.Run(KeepAll(graph, order), detail, &simulation); !status.ok()) return status;
  std::vector<int> above;
  for (int position = 0; position < problem.positions(); ++position) {
    if (simulation.profile[position] > budget_bytes) above.push_back(position);
  }
  std::vector<int> cuts;
  const auto take_largest = [&](auto bytes) {
    std::vector<int> sorted = above;
    std::stable_sort(sorted.begin(), sorted.end(), [&](int a, int b) { return bytes(a) > bytes(b); });
    sorted.resize(std::min<size_t>(sorted.size(), kCutsOfAKind));
    cuts.insert(cuts.end(), sorted.begin(), sorted.end());
  };
  take_largest([&](int position) { return simulation.profile[position]; });
  take_largest([&](int position) { return problem.WorkingSet(position); });
  for (size_t i = 0; i < kCutsOfAKind && !above.empty(); ++i) {
    cuts.push_back(above[i * (above.size() - 1) / (kCutsOfAKind - 1)]);
  }
  std::sort(cuts.begin(), cuts.end());
  cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
  return cuts;
}

// Ops past which, in every order, more has to be carried than fits: the worst.
std::vector<CutView> ChooseAnyOrderCuts(const CutProblem& problem, const Reach& reach, int64_t budget_bytes) {
  std::vector<std::pair<int64_t, int>> above;
  for (int position = 0; position < problem.positions(); ++position) {
    const CutView view = AnyOrderView(problem, reach, position, budget_bytes);
    int64_t missing = -view.free_bytes;
    for (size_t id = 0; id < view.is_needed.size(); ++id) {
      if (view.is_needed[id]) missing += problem.storages()[id].rounded_bytes;
    }
    if (missing > 0) above.emplace_back(-missing, position);
  }
  std::sort(above.begin(), above.end());
  std::vector<CutView> views;
  for (const auto& [missing, position] : above) {
    if (views.size() == kCutsOfAKind) break;
    views.push_back(AnyOrderView(problem, reach, position, budget_bytes));
  }
  return views;
}

class Bounder {
 public:
  Bounder(const CutProblem& problem, const std::vector<NodeId>& order, const StepBoundOptions& options, bool copies)
      : problem_(problem), order_(order), options_(options), copies_(copies) {}

  absl::StatusOr<StepBound> Run(const std::vector<CutView>& cuts) {
    SolveOptions relax;
    relax.relax_integers = true;
    relax.stop = options_.stop;
    relax.time_limit = options_.time_limit;
    absl::StatusOr<std::vector<CutBound>> relaxed = SolveAll(cuts, relax);
    if (!relaxed.ok()) return relaxed.status();
    StepBound best;
    for (const CutBound& cut : *relaxed) best.seconds = std::max(best.seconds, cut.seconds);
    Say("relaxed", best.seconds);
    std::stable_sort(relaxed->begin(), relaxed->end(),
                     [](const CutBound& a, const CutBound& b) { return a.seconds > b.seconds; });
    const bool is_enough = options_.enough_seconds > 0 && best.seconds >= options_.enough_seconds;
    if (is_enough || options_.time_limit <= absl::ZeroDuration()) return best;
    std::vector<CutView> searched;
    for (size_t i = 0; i < relaxed->size() && i < kSearchedCuts; ++i) searched.push_back(*(*relaxed)[i].view);
    SolveOptions search;
    search.relative_gap = kSearchGap;
    search.stop = options_.stop;
    search.time_limit = options_.time_limit;
    if (options_.progress) {
      search.progress = [this, known = best.seconds](double, double bound) {
        Say("searching", std::max(known, bound / kModelTime * problem_.total_seconds()));
      };
    }
    absl::StatusOr<std::vector<CutBound>> integral = SolveAll(searched, search);
    if (!integral.ok()) return integral.status();
    for (CutBound& cut : *integral) {
      best.seconds = std::max(best.seconds, cut.seconds);
      if (cut.plan.has_value()) best.plans.push_back(*std::move(cut.plan));
    }
    return best;
  }

 private:
  struct CutBound {
    const CutView* view = nullptr;
    double seconds = 0;
    // If integers were searched and found.
    std::optional<CutPlan> plan;
  };

  absl::StatusOr<std::vector<CutBound>> SolveAll(const std::vector<CutView>& cuts, const SolveOptions& solve) const {
    std::vector<absl::StatusOr<CutBound>> solved(cuts.size(), CutBound());
    RunParallel(static_cast<int>(cuts.size()), options_.threads, [&](int i) { solved[i] = Solve(cuts[i], solve); });
    std::vector<CutBound> bounds;
    for (absl::StatusOr<CutBound>& bound : solved) {
      if (!bound.ok()) return bound.status();
      bounds.push_back(*std::move(bound));
    }
    return bounds;
  }

  // The nodes' own time where the solver proves nothing.
  absl::StatusOr<CutBound> Solve(const CutView& view, const SolveOptions& solve) const {
    // The relaxed bound, faster and in integers.
    if (solve.relax_integers && !copies_) return CutBound{&view, MinCutSeconds(problem_, view), std::nullopt};
    const double own = problem_.total_seconds();
    CutBound result{&view, own * (1 - kSumMargin), std::nullopt};
    const std::optional<SingleCut> model = SingleCutModel(problem_, view, copies_);
    if (!model.has_value()) return result;
    const absl::StatusOr<Solution> solution = SolveWithHighs(model->model, solve);
    if (!solution.ok()) return solution.status();
    // No claim rests on "infeasible": it would say that there is no plan.
    if (solution->status == SolveStatus::kInfeasible) return result;
    const double bound = solution->bound - model->copy_price;
    result.seconds = std::min(bound / kModelTime, kLongest) * own - kSolverMargin * own;
    if (!solve.relax_integers && !solution->values.empty())
      result.plan = PlanOf(view.position, *model, solution->values);
    return result;
  }

  CutPlan PlanOf(int cut, const SingleCut& model, const std::vector<double>& values) const {
    CutPlan plan;
    plan.cut = order_[cut];
    const auto is_set = [&](int column) { return column != kNone && values[column] > 0.5; };
    for (size_t id = 0; id < problem_.storages().size(); ++id) {
      if (model.resident[id] == kNone) continue;
      const CutFate fate = is_set(model.resident[id])  ? CutFate::kResident
                           : is_set(model.fetched[id]) ? CutFate::kFetched
                                                       : CutFate::kRerun;
      plan.fates.push_back({problem_.storages()[id].root, fate});
    }
    return plan;
  }

  void Say(absl::string_view how, double seconds) const {
    if (!options_.progress) return;
    absl::MutexLock lock(&progress_mutex_);
    options_.progress(absl::StrFormat("bound (%s): %.6f s", how, seconds));
  }

  const CutProblem& problem_;
  const std::vector<NodeId>& order_;
  const StepBoundOptions& options_;
  const bool copies_;
  mutable absl::Mutex progress_mutex_;
};

}  // namespace

std::vector<NodeId> FirstRuns(const Program& program) {
  std::vector<NodeId> order;
  for (const Step& step : program) {
    if (step.action == Action::kRun) order.push_back(step.id);
  }
  return order;
}

absl::StatusOr<StepBound> FindStepBound(const Graph& graph, const Costs& costs, const std::vector<NodeId>& order,
                                        const StepBoundOptions& options) {
  const CutProblem problem(graph, costs, order, std::max<int64_t>(1, options.budget_bytes / kSmallShare));
  StepBound own;
  own.seconds = problem.total_seconds() * (1 - kSumMargin);
  if (own.seconds <= 0 || options.budget_bytes <= 0) return own;
  const absl::StatusOr<std::vector<int>> cuts = ChooseCuts(graph, costs, order, problem, options.budget_bytes);
  if (!cuts.ok()) return cuts.status();
  if (cuts->empty()) return own;
  std::vector<CutView> views;
  for (const int cut : *cuts) views.push_back(InOrderView(problem, cut, options.budget_bytes));
  const bool copies = options.copies && costs.CopiesKnown();
  absl::StatusOr<StepBound> bound = Bounder(problem, order, options, copies).Run(views);
  if (bound.ok()) bound->seconds = std::max(own.seconds, bound->seconds);
  return bound;
}

absl::StatusOr<double> FindAnyOrderBound(const Graph& graph, const Costs& costs, const std::vector<NodeId>& order,
                                         const StepBoundOptions& options) {
  const CutProblem problem(graph, costs, order, std::max<int64_t>(1, options.budget_bytes / kSmallShare));
  const double own = problem.total_seconds() * (1 - kSumMargin);
  if (own <= 0 || options.budget_bytes <= 0 || problem.positions() > kMostPositionsInAnyOrder) return own;
  if (options.enough_seconds > 0 && own >= options.enough_seconds) return own;
  const std::vector<CutView> views = ChooseAnyOrderCuts(problem, Reach(graph, costs, order), options.budget_bytes);
  if (views.empty()) return own;
  const bool copies = options.copies && costs.CopiesKnown();
  const absl::StatusOr<StepBound> bound = Bounder(problem, order, options, copies).Run(views);
  if (!bound.ok()) return bound.status();
  return std::max(own, bound->seconds);
}

}  // namespace str::optimizer
