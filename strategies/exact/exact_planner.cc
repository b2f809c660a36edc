#include "strategies/exact/exact_planner.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "absl/log/check.h"
#include "absl/strings/str_format.h"
#include "optimizer/bound/cut_problem.h"
#include "optimizer/bound/leanmix_bound.h"
#include "optimizer/bound/pieces.h"
#include "optimizer/bound/step_bound.h"
#include "optimizer/ilp/highs_solver.h"
#include "optimizer/simulator/judge.h"
#include "strategies/exact/copy_moves.h"
#include "strategies/exact/fate_program.h"
#include "strategies/exact/state_search.h"
#include "strategies/needs.h"
#include "strategies/registry.h"
#include "strategies/str/evaluator.h"

namespace str::strategies {
namespace {

// Searching all decisions takes this many evaluations at most.
constexpr double kMostEnumerated = 20000;
// Of so many combinations of decisions the copies of each are moved.
constexpr double kMostMoved = 100;
constexpr Mode kModes[] = {Mode::kKeep, Mode::kSwap, Mode::kRecompute, Mode::kTransient};

class Prover {
 public:
  Prover(const PlanRequest& request, const ProgressCallback& progress, const std::atomic<bool>* stop,
         const Limit* limit, PlanResult* result)
      : request_(request),
        progress_(progress),
        stop_(stop),
        limit_(*limit),
        deadline_(absl::Now() + request.time_limit),
        result_(*result),
        order_(optimizer::FirstRuns(result->program)),
        problem_(request.graph, request.costs, order_, MakeOptions(request)),
        evaluator_(&problem_) {}

  absl::Status Run() {
    const absl::StatusOr<optimizer::Verdict> verdict =
        optimizer::Judge(*request_.graph, *request_.costs, result_.program);
    if (!verdict.ok()) return verdict.status();
    seconds_ = verdict->seconds();
    Say();
    SearchAll();
    SearchStates();
    ConsiderMoved(optimizer::Program(result_.program));
    // A better plan makes the model smaller, and its solutions make better plans.
    bool better = true;
    while (better && !Done()) {
      const absl::StatusOr<bool> improved = SolveModel();
      if (!improved.ok()) return improved.status();
      better = *improved;
    }
    if (Gap() <= std::max(request_.gap, kOptimalGap)) result_.status = PlanStatus::kOptimal;
    return absl::OkStatus();
  }

 private:
  static ProblemOptions MakeOptions(const PlanRequest& request) {
    ProblemOptions options;
    // Everything is decided, however small.
    options.peak_bytes = 0;
    options.pins = &request.pins;
    return options;
  }

  absl::Duration TimeLeft() const {
    return request_.time_limit == absl::InfiniteDuration() ? request_.time_limit : deadline_ - absl::Now();
  }
  double Gap() const { return seconds_ / result_.bound_seconds - 1; }
  bool Done() const { return Gap() <= std::max(request_.gap, kOptimalGap) || limit_.Reached(); }

  void Say() const { Say(result_.bound_seconds); }
  void Say(double bound) const {
    if (!progress_) return;
    progress_(absl::StrFormat("best %.6f s, bound %.6f s, gap %.4f %%", seconds_, bound, 100 * (seconds_ / bound - 1)));
  }

  // Takes the program if it can be run, fits and is faster than the best one.
  bool Consider(const optimizer::Program& program) {
    const absl::StatusOr<Needs> needs = FindNeeds(request_, program, request_.budget_bytes);
    if (!needs.ok() || needs->bytes > request_.budget_bytes) return false;
    if (request_.host_limit_bytes > 0 && needs->host_peak_bytes > request_.host_limit_bytes) return false;
    if (needs->seconds >= seconds_ * (1 - kOptimalGap / 10)) return false;
    result_.program = program;
    seconds_ = needs->seconds;
    Say();
    return true;
  }

  bool ConsiderMoved(const optimizer::Program& program) {
    const optimizer::Program moved = MoveCopies(request_, program, limit_);
    return !(moved == program) && Consider(moved);
  }

  // Small problems: every combination of decisions.
  void SearchAll() {
    std::vector<std::vector<Mode>> choices;
    double combinations = 1;
    for (const Unit& unit : problem_.units()) {
      choices.emplace_back();
      for (const Mode mode : kModes) {
        if (problem_.Allows(unit, mode)) choices.back().push_back(mode);
      }
      combinations *= static_cast<double>(choices.back().size());
      if (combinations > kMostEnumerated) return;
    }
    std::vector<size_t> at(choices.size(), 0);
    Decisions decisions(choices.size(), Mode::kKeep);
    while (!Done()) {
      const Evaluation evaluation = evaluator_.Evaluate(decisions, request_.budget_bytes);
      if (evaluation.valid) {
        if (evaluation.peak_bytes <= request_.budget_bytes && evaluation.seconds < seconds_) {
          Consider(evaluator_.program());
        }
        // When to copy is decided by rules; small programs have time for trying all moments.
        if (combinations <= kMostMoved) {
          ConsiderMoved(evaluator_.program());
          ConsiderMoved(evaluator_.tight_program());
        }
      }
      size_t unit = 0;
      for (; unit < at.size(); ++unit) {
        at[unit] = (at[unit] + 1) % choices[unit].size();
        decisions[unit] = choices[unit][at[unit]];
        if (at[unit] != 0) break;
      }
      if (unit == at.size()) break;
    }
  }

  // Small graphs: every program without copies.
  void SearchStates() {
    if (Done() || !request_.pins.empty()) return;
    const optimizer::CutProblem problem(*request_.graph, *request_.costs, order_, 1);
    const optimizer::Program program = FastestWithoutCopies(problem, order_, request_.budget_bytes, limit_);
    if (!program.empty()) Consider(program);
  }

  // Bounds, and makes a plan of the model's solution. Returns whether the plan is better than the one so far.
  absl::StatusOr<bool> SolveModel() {
    optimizer::LeanMixBoundOptions options;
    options.budget_bytes = request_.budget_bytes;
    options.incumbent_seconds = seconds_;
    const absl::StatusOr<optimizer::Verdict> verdict =
        optimizer::Judge(*request_.graph, *request_.costs, result_.program);
    if (!verdict.ok()) return verdict.status();
    options.lost_seconds = optimizer::LostSeconds(result_.program, verdict->simulation);
    options.enough_seconds = seconds_ / (1 + std::max(request_.gap, kOptimalGap));
    options.solutions = true;
    options.time_limit = TimeLeft();
    options.stop = stop_;
    options.progress = [this](double bound) { Say(std::max(bound, result_.bound_seconds)); };
    const absl::StatusOr<optimizer::LeanMixBound> bound =
        optimizer::FindLeanMixBound(*request_.graph, *request_.costs, order_, options);
    if (!bound.ok()) return bound.status();
    result_.bound_seconds = std::max(result_.bound_seconds, bound->seconds);
    Say();
    // The model knows no pins.
    if (bound->fates.empty() || !request_.pins.empty() || Done()) return false;
    bool better = false;
    for (const SlotOrder slots : {SlotOrder::kFirstRuns, SlotOrder::kOpFirst, SlotOrder::kLatestFirst}) {
      const optimizer::Program program = MakeProgram(*request_.graph, order_, bound->fates, bound->window.last, slots);
      better = Consider(program) || better;
      better = ConsiderMoved(program) || better;
    }
    return better;
  }

  const PlanRequest& request_;
  const ProgressCallback& progress_;
  const std::atomic<bool>* const stop_;
  const Limit& limit_;
  const absl::Time deadline_;
  PlanResult& result_;
  const std::vector<optimizer::NodeId> order_;
  const Problem problem_;
  Evaluator evaluator_;
  // Of the best program.
  double seconds_ = 0;
};

const PlannerRegistration kRegistration(std::make_unique<ExactPlanner>());

}  // namespace

absl::StatusOr<PlanResult> ExactPlanner::Plan(const PlanRequest& request, const ProgressCallback& progress,
                                              const std::atomic<bool>* stop) const {
  const Limit limit(request.time_limit, stop);
  const Planner* const start = FindPlanner("str");
  CHECK(start != nullptr) << "the default planner is not linked in";
  absl::StatusOr<PlanResult> result = start->Plan(request, progress, stop);
  if (!result.ok()) return result;
  result->solver = optimizer::HighsSolver().name();
  if (result->program.empty()) return result;
  result->status = PlanStatus::kFeasible;
  if (absl::Status status = Prover(request, progress, stop, &limit, &*result).Run(); !status.ok()) return status;
  return result;
}

}  // namespace str::strategies
