#include "optimizer/bound/leanmix_bound.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <utility>

#include "absl/time/clock.h"
#include "optimizer/bound/cut_problem.h"
#include "optimizer/bound/leanmix_model.h"
#include "optimizer/bound/pieces.h"
#include "optimizer/bound/single_cut.h"
#include "optimizer/bound/usefulness.h"
#include "optimizer/ilp/highs_solver.h"

namespace str::optimizer {
namespace {

// Storages below this share of the budget count as nothing. First only large ones count: such models are small, and
// often enough.
constexpr std::array<int64_t, 2> kSmallShares = {25, 10000};
// Of the time limit, for the first.
constexpr double kCoarseTime = 0.4;
// Larger models are not solved in useful time.
constexpr int kMostPositions = 1000;
constexpr int kMostWindow = 160;
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
  Bounder(const CutProblem& problem, const LeanMixBoundOptions& options, absl::Time deadline)
      : options_(options), own_(problem.total_seconds()), deadline_(deadline) {}

  absl::Status Run(LeanMixModel* model) {
    if (!model->fits() || model->model().columns().size() > kMostColumns) return absl::OkStatus();
    model->AddConflicts();
    for (int round = 0; round < kRelaxedRounds && !Done(); ++round) {
      SolveOptions solve = Options();
      solve.relax_integers = true;
      const absl::StatusOr<Solution> solution = Solve(model, solve);
      if (!solution.ok()) return solution.status();
      if (solution->values.empty() || AddViolated(model, solution->values, kEventsPerSlot) == 0) break;
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
      if (AddViolated(model, solution->values, kEventsPerSlotOfSolution) == 0) break;
    }
    return absl::OkStatus();
  }

  double best() const { return best_; }
  std::vector<LeanMixFate>& fates() { return fates_; }

 private:
  SolveOptions Options() const {
    SolveOptions solve;
    solve.stop = options_.stop;
    solve.time_limit = deadline_ - absl::Now();
    return solve;
  }

  bool Done() const {
    const bool stopped = options_.stop != nullptr && options_.stop->load(std::memory_order_relaxed);
    return stopped || absl::Now() >= deadline_ || best_ >= Enough();
  }

  double Enough() const {
    const double most = options_.incumbent_seconds - 2 * kSolverMargin * own_;
    return options_.enough_seconds > 0 ? std::min(options_.enough_seconds, most) : most;
  }

  double ToModel(double seconds) const { return (seconds / own_ + kSolverMargin) * kModelTime; }
  double FromModel(double bound) const { return (bound / kModelTime - kSolverMargin) * own_; }

  static int AddViolated(LeanMixModel* model, const std::vector<double>& values, int events_per_slot) {
    return model->AddViolatedEvents(values, events_per_slot) + model->AddViolatedWaits(values);
  }

  absl::StatusOr<Solution> Solve(LeanMixModel* model, const SolveOptions& solve) {
    absl::StatusOr<Solution> solution = SolveWithHighs(model->model(), solve);
    if (!solution.ok() || solution->status == SolveStatus::kInfeasible) return solution;
    best_ = std::max(best_, std::min(FromModel(solution->bound), options_.incumbent_seconds));
    return solution;
  }

  const LeanMixBoundOptions& options_;
  const double own_;
  const absl::Time deadline_;
  double best_ = 0;
  // Of the latest integer solution.
  std::vector<LeanMixFate> fates_;
};

// One size of storages that count, from coarse to fine.
class Level {
 public:
  Level(const CutProblem* problem, const LeanMixBoundOptions& options, bool copies, absl::Time deadline)
      : problem_(*problem), options_(options), deadline_(deadline) {
    model_options_.budget_bytes = options.budget_bytes;
    model_options_.copies = copies;
    Window& window = model_options_.window;
    window = FindWindow(problem_, Usefulness(problem_), options.budget_bytes, options.solutions);
    // What is short of memory at the last op comes back in the next slot, which is modelled better within the window.
    if (!window.empty()) window.last = std::min(window.last + 1, problem_.positions() - 1);
    loss_ = options.incumbent_seconds / problem_.total_seconds() - 1;
    model_options_.most_extra_seconds = (loss_ + kCutoffMargin) * problem_.total_seconds();
  }

  // Raises `result` as far as it can.
  absl::Status Run(LeanMixBound* result) {
    const Window& window = model_options_.window;
    if (window.empty() || window.last - window.first >= kMostWindow || loss_ <= kSolverMargin) return absl::OkStatus();
    if (absl::Status status = RunPieces(result); !status.ok()) return status;
    if (result->seconds >= Enough()) return absl::OkStatus();
    LeanMixModel model(&problem_, WithCuts(model_options_));
    for (const auto& [slots, seconds] : least_times_) model.AddLeastTime(slots, seconds);
    Bounder bounder(problem_, options_, deadline_);
    if (absl::Status status = bounder.Run(&model); !status.ok()) return status;
    result->seconds = std::max(result->seconds, bounder.best());
    result->window = model_options_.window;
    result->fates = std::move(bounder.fates());
    return absl::OkStatus();
  }

 private:
  double Enough() const { return options_.enough_seconds > 0 ? options_.enough_seconds : options_.incumbent_seconds; }

  LeanMixOptions WithCuts(LeanMixOptions options) const {
    if (!options.copies || loss_ >= kLossWithCuts) options.cuts = ChooseCuts(problem_, options.window);
    return options;
  }

  // What plans lose in one piece and in another adds up.
  absl::Status RunPieces(LeanMixBound* result) {
    const std::vector<Piece> pieces = SplitWindow(model_options_.window, options_.lost_seconds);
    if (pieces.size() < 2) return absl::OkStatus();
    const double own = problem_.total_seconds();
    double lost = 0;
    for (size_t i = 0; i < pieces.size(); ++i) {
      if (pieces[i].window.empty()) continue;
      LeanMixOptions options = model_options_;
      options.window = pieces[i].window;
      options.counted = pieces[i].counted;
      LeanMixModel model(&problem_, WithCuts(options));
      LeanMixBoundOptions all = options_;
      all.enough_seconds = 0;
      all.solutions = false;
      all.progress = nullptr;
      const absl::Time now = absl::Now();
      Bounder bounder(problem_, all, now + (deadline_ - now) / static_cast<double>(pieces.size() + 1 - i));
      if (absl::Status status = bounder.Run(&model); !status.ok()) return status;
      const double least = std::max(0.0, bounder.best() - own);
      least_times_.push_back({pieces[i].counted, least});
      lost += least;
    }
    result->seconds = std::max(result->seconds, std::min(options_.incumbent_seconds, own + lost));
    if (options_.progress) options_.progress(result->seconds);
    return absl::OkStatus();
  }

  const CutProblem& problem_;
  const LeanMixBoundOptions& options_;
  const absl::Time deadline_;
  LeanMixOptions model_options_;
  // What plans may lose, of the nodes' own time.
  double loss_ = 0;
  // By slots, in seconds.
  std::vector<std::pair<Window, double>> least_times_;
};

}  // namespace

absl::StatusOr<LeanMixBound> FindLeanMixBound(const Graph& graph, const Costs& costs, const std::vector<NodeId>& order,
                                              const LeanMixBoundOptions& options) {
  const absl::Time start = absl::Now();
  LeanMixBound result;
  for (const int64_t small_share : kSmallShares) {
    const CutProblem problem(graph, costs, order, std::max<int64_t>(1, options.budget_bytes / small_share));
    result.seconds = std::max(result.seconds, problem.total_seconds() * (1 - kSumMargin));
    if (result.seconds <= 0 || options.budget_bytes <= 0 || problem.positions() > kMostPositions) return result;
    const bool coarse = small_share != kSmallShares.back();
    // Solutions are of interest only where everything counts.
    if (coarse && options.solutions) continue;
    const absl::Time deadline = start + options.time_limit * (coarse ? kCoarseTime : 1);
    if (absl::Status status = Level(&problem, options, options.copies && costs.CopiesKnown(), deadline).Run(&result);
        !status.ok()) {
      return status;
    }
    if (result.seconds >= (options.enough_seconds > 0 ? options.enough_seconds : options.incumbent_seconds)) break;
  }
  return result;
}

}  // namespace str::optimizer
