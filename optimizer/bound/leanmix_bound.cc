#include "optimizer/bound/leanmix_bound.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "absl/time/clock.h"
#include "optimizer/bound/cut_problem.h"
#include "optimizer/bound/leanmix_model.h"
#include "optimizer/bound/single_cut.h"
#include "optimizer/bound/usefulness.h"
#include "optimizer/ilp/highs_solver.h"

namespace str::optimizer {
namespace {

// Storages below this share of the budget count as nothing.
constexpr int64_t kSmallShare = 10000;
// Larger models are not solved in useful time.
constexpr int kMostPositions = 160;
constexpr size_t kMostColumns = 20000;
// Of the nodes' own time. The model is about plans that are slower than the known one by this, so that this one is
// among its solutions: no claim rests on a solver that finds none.
constexpr double kCutoffMargin = 1e-5;
// Of the nodes' own time, taken off what a solver says: its floating point is not exact.
constexpr double kSolverMargin = 1e-6;
// The same for our own sums.
constexpr double kSumMargin = 1e-12;
// Cuts, by how much their op needs itself, and the positions between two of them. They cost more than they give where a
// plan loses less than this share.
constexpr int kCuts = 3;
constexpr int kBetweenCuts = 2;
constexpr double kLossWithCuts = 0.01;
constexpr int kRelaxedRounds = 6;
constexpr int kEventsPerSlot = 3;
constexpr int kEventsPerSlotOfSolution = 100;
constexpr double kSearchGap = 2e-6;

std::vector<int> ChooseCuts(const CutProblem& problem, const Window& window) {
  std::vector<int> sorted;
  for (int position = window.first; position <= window.last; ++position) sorted.push_back(position);
  std::stable_sort(sorted.begin(), sorted.end(),
                   [&](int a, int b) { return problem.WorkingSet(a) > problem.WorkingSet(b); });
  std::vector<int> cuts;
  for (const int position : sorted) {
    const bool close =
        std::any_of(cuts.begin(), cuts.end(), [&](int cut) { return std::abs(cut - position) <= kBetweenCuts; });
    if (!close) cuts.push_back(position);
    if (cuts.size() == kCuts) break;
  }
  return cuts;
}

class Bounder {
 public:
  Bounder(const CutProblem& problem, const LeanMixBoundOptions& options)
      : problem_(problem),
        options_(options),
        own_(problem.total_seconds()),
        deadline_(absl::Now() + options.time_limit) {}

  absl::Status Run(LeanMixModel* model) {
    if (!model->fits() || model->model().columns().size() > kMostColumns) return absl::OkStatus();
    model->AddConflicts();
    for (int round = 0; round < kRelaxedRounds && !Done(); ++round) {
      SolveOptions solve = Options();
      solve.relax_integers = true;
      const absl::StatusOr<Solution> solution = Solve(model, solve);
      if (!solution.ok()) return solution.status();
      if (solution->values.empty() || model->AddViolatedEvents(solution->values, kEventsPerSlot) == 0) break;
    }
    // Each round adds what the last solution violates.
    while (!Done()) {
      SolveOptions solve = Options();
      solve.relative_gap = kSearchGap;
      solve.heuristics = options_.solutions;
      if (options_.enough_seconds > 0) solve.enough_bound = ToModel(options_.enough_seconds);
      if (options_.progress) {
        solve.progress = [this](double, double bound) {
          // At the end a solver may say that there is nothing, which is not believed.
          if (FromModel(bound) <= options_.incumbent_seconds) options_.progress(std::max(best_, FromModel(bound)));
        };
      }
      const absl::StatusOr<Solution> solution = Solve(model, solve);
      if (!solution.ok()) return solution.status();
      if (solution->values.empty()) break;
      fates_ = model->Fates(solution->values);
      if (model->AddViolatedEvents(solution->values, kEventsPerSlotOfSolution) == 0) break;
    }
    return absl::OkStatus();
  }

  double best() const { return best_; }
  std::vector<LeanMixFate>& fates() { return fates_; }

 private:
  SolveOptions Options() const {
    SolveOptions solve;
    solve.stop = options_.stop;
    if (options_.time_limit != absl::InfiniteDuration()) solve.time_limit = deadline_ - absl::Now();
    return solve;
  }

  bool Done() const {
    const bool stopped = options_.stop != nullptr && options_.stop->load(std::memory_order_relaxed);
    const bool late = options_.time_limit != absl::InfiniteDuration() && absl::Now() >= deadline_;
    return stopped || late || best_ >= Enough();
  }

  double Enough() const {
    const double most = options_.incumbent_seconds - 2 * kSolverMargin * own_;
    return options_.enough_seconds > 0 ? std::min(options_.enough_seconds, most) : most;
  }

  double ToModel(double seconds) const { return (seconds / own_ + kSolverMargin) * kModelTime; }
  double FromModel(double bound) const { return (bound / kModelTime - kSolverMargin) * own_; }

  absl::StatusOr<Solution> Solve(LeanMixModel* model, const SolveOptions& solve) {
    absl::StatusOr<Solution> solution = SolveWithHighs(model->model(), solve);
    if (!solution.ok() || solution->status == SolveStatus::kInfeasible) return solution;
    best_ = std::max(best_, std::min(FromModel(solution->bound), options_.incumbent_seconds));
    return solution;
  }

  const CutProblem& problem_;
  const LeanMixBoundOptions& options_;
  const double own_;
  const absl::Time deadline_;
  double best_ = 0;
  // Of the latest integer solution.
  std::vector<LeanMixFate> fates_;
};

}  // namespace

absl::StatusOr<LeanMixBound> FindLeanMixBound(const Graph& graph, const Costs& costs, const std::vector<NodeId>& order,
                                              const LeanMixBoundOptions& options) {
  const CutProblem problem(graph, costs, order, std::max<int64_t>(1, options.budget_bytes / kSmallShare));
  LeanMixBound result;
  result.seconds = problem.total_seconds() * (1 - kSumMargin);
  if (result.seconds <= 0 || options.budget_bytes <= 0 || problem.positions() > kMostPositions) return result;
  LeanMixOptions model_options;
  model_options.budget_bytes = options.budget_bytes;
  model_options.copies = options.copies && costs.CopiesKnown();
  model_options.window = result.window =
      FindWindow(problem, Usefulness(problem), options.budget_bytes, options.solutions);
  const double loss = options.incumbent_seconds / problem.total_seconds() - 1;
  if (model_options.window.empty() || loss <= kSolverMargin) return result;
  model_options.most_extra_seconds = (loss + kCutoffMargin) * problem.total_seconds();
  if (!model_options.copies || loss >= kLossWithCuts) model_options.cuts = ChooseCuts(problem, model_options.window);
  LeanMixModel model(&problem, model_options);
  Bounder bounder(problem, options);
  if (absl::Status status = bounder.Run(&model); !status.ok()) return status;
  result.seconds = std::max(result.seconds, bounder.best());
  result.fates = std::move(bounder.fates());
  return result;
}

}  // namespace str::optimizer
