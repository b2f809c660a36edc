// capuchin: swaps by free time, then recomputes by bytes saved per second, as STR's authors describe Capuchin, in the
// captured order. Makes choices (choices.h) to the end, because that tells the smallest budget; the plan is that of the
// first choices that fit.
#include <algorithm>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "config/text_units.h"
#include "optimizer/simulator/simulator.h"
#include "strategies/capuchin/choices.h"
#include "strategies/needs.h"
#include "strategies/planner.h"
#include "strategies/registry.h"
#include "strategies/str/evaluator.h"
#include "strategies/str/problem.h"

namespace str::strategies {
namespace {

using optimizer::Program;

// Of the budget: up to where copies are hidden if all of it cannot be placed.
constexpr double kRelaxedShares[] = {1, 0.93, 0.8};

// Decisions after some choices, and the peak of their program of least memory.
struct Point {
  Decisions decisions;
  int64_t peak_bytes = 0;
};

// Sets `complete` to whether the last choice was reached.
std::vector<Point> MakeChoices(const PlanRequest& request, const Problem& problem, const Limit& limit,
                               const ProgressCallback& progress, Evaluator* evaluator, bool* complete) {
  CapuchinChoices choices(&problem, request.host_limit_bytes);
  std::vector<Point> points;
  *complete = true;
  int32_t peak_stage = 0;
  do {
    const Evaluation evaluation = evaluator->EvaluateMemory(choices.decisions(), request.budget_bytes);
    if (evaluation.valid) {
      points.push_back({choices.decisions(), evaluation.tight_peak_bytes});
      peak_stage = evaluator->PeakStage();
      if (progress) {
        progress(absl::StrCat(points.size() - 1, " choices, ", config::FormatBytes(evaluation.tight_peak_bytes)));
      }
    } else {
      choices.TakeBack();
    }
    *complete = !limit.Reached();
  } while (*complete && choices.Choose(peak_stage));
  return points;
}

// With copies hidden as far as memory allows. The tight program if that cannot be placed.
absl::StatusOr<Program> Relax(const PlanRequest& request, const Decisions& decisions, Evaluator* evaluator) {
  const int64_t external = request.graph->external_bytes();
  for (const double share : kRelaxedShares) {
    Evaluation evaluation = evaluator->EvaluateMemory(decisions, request.budget_bytes);
    evaluator->EvaluateTime(external + static_cast<int64_t>(share * (request.budget_bytes - external)), &evaluation);
    const absl::StatusOr<Needs> needs = FindNeeds(request, evaluator->program(), request.budget_bytes);
    if (!needs.ok()) return needs.status();
    if (needs->bytes <= request.budget_bytes) return evaluator->program();
  }
  return evaluator->tight_program();
}

class CapuchinPlanner : public Planner {
 public:
  absl::string_view name() const override { return "capuchin"; }
  absl::string_view description() const override {
    return "Capuchin: swaps what leaves most free time, then recomputes what saves most bytes per second";
  }

  absl::StatusOr<PlanResult> Plan(const PlanRequest& request, const ProgressCallback& progress,
                                  const std::atomic<bool>* stop) const override {
    if (absl::Status status = optimizer::RequireCopyRates(*request.costs); !status.ok()) return status;
    const Limit limit(request.time_limit, stop);
    const std::vector<optimizer::NodeId> order = optimizer::CapturedOrder(*request.graph);
    optimizer::Simulation kept;
    const absl::Status status =
        optimizer::Simulator(request.graph, request.costs)
            .Run(optimizer::KeepAll(*request.graph, order), optimizer::SimulationDetail(), &kept);
    if (!status.ok()) return status;
    ProblemOptions options;
    options.peak_bytes = kept.peak_bytes;
    options.pins = &request.pins;
    const Problem problem(request.graph, request.costs, order, options);
    Evaluator evaluator(&problem);
    bool complete = false;
    const std::vector<Point> points = MakeChoices(request, problem, limit, progress, &evaluator, &complete);

    PlanResult result;
    const Point* last = nullptr;
    for (const Point& point : points) {
      if (point.peak_bytes > request.budget_bytes) continue;
      last = &point;
      if (limit.Reached()) continue;
      const absl::StatusOr<bool> found = TryPoint(request, point, &evaluator, &result);
      if (!found.ok()) return found.status();
      if (*found) break;
    }
    if (limit.Reached() && result.program.empty() && last != nullptr) {
      // All that there is time for: of those that fit by their peak, the one with most choices.
      if (const absl::StatusOr<bool> found = TryPoint(request, *last, &evaluator, &result); !found.ok()) {
        return found.status();
      }
    }
    if (!complete || limit.Reached()) return result;
    if (result.program.empty()) result.status = PlanStatus::kInfeasible;
    if (absl::Status found = FindSmallest(request, points, limit, &evaluator, &result); !found.ok()) return found;
    return result;
  }

 private:
  // Of the program of least memory.
  static absl::StatusOr<Needs> NeedsOf(const PlanRequest& request, const Point& point, int64_t enough_bytes,
                                       Evaluator* evaluator) {
    evaluator->EvaluateMemory(point.decisions, request.budget_bytes);
    return FindNeeds(request, evaluator->tight_program(), enough_bytes);
  }

  // Makes it the plan if it fits.
  static absl::StatusOr<bool> TryPoint(const PlanRequest& request, const Point& point, Evaluator* evaluator,
                                       PlanResult* result) {
    const absl::StatusOr<Needs> needs = NeedsOf(request, point, request.budget_bytes, evaluator);
    if (!needs.ok()) return needs.status();
    if (needs->bytes > request.budget_bytes) return false;
    absl::StatusOr<Program> program = Relax(request, point.decisions, evaluator);
    if (!program.ok()) return program.status();
    result->status = PlanStatus::kFeasible;
    result->program = *std::move(program);
    return true;
  }

  // Not known if the limit is reached on the way.
  static absl::Status FindSmallest(const PlanRequest& request, const std::vector<Point>& points, const Limit& limit,
                                   Evaluator* evaluator, PlanResult* result) {
    std::vector<int32_t> by_peak(points.size());
    std::iota(by_peak.begin(), by_peak.end(), 0);
    std::stable_sort(by_peak.begin(), by_peak.end(),
                     [&](int32_t a, int32_t b) { return points[a].peak_bytes < points[b].peak_bytes; });
    for (const int32_t i : by_peak) {
      // Nothing needs less than its peak.
      if (result->min_budget_bytes > 0 && points[i].peak_bytes >= result->min_budget_bytes) break;
      if (limit.Reached()) {
        result->min_budget_bytes = 0;
        result->least_memory_program.clear();
        if (result->program.empty()) result->status = PlanStatus::kLimit;
        break;
      }
      const absl::StatusOr<Needs> needs = NeedsOf(request, points[i], 0, evaluator);
      if (!needs.ok()) return needs.status();
      if (result->min_budget_bytes > 0 && needs->bytes >= result->min_budget_bytes) continue;
      result->min_budget_bytes = needs->bytes;
      result->least_memory_program = evaluator->tight_program();
    }
    return absl::OkStatus();
  }
};

const PlannerRegistration kRegistration(std::make_unique<CapuchinPlanner>());

}  // namespace
}  // namespace str::strategies
