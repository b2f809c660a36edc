#include "strategies/checkmate/yardstick.h"

#include <utility>
#include <vector>

#include "absl/log/check.h"
#include "strategies/checkmate/baseline_list.h"
#include "strategies/checkmate/baselines.h"
#include "strategies/checkmate/passes.h"
#include "strategies/checkmate/retention.h"
#include "strategies/staged/program_schedule.h"

namespace str::strategies {
namespace {

constexpr absl::string_view kKeepAll = "keep-all";

const Baseline* FindBaseline(absl::string_view name) {
  for (const Baseline& baseline : AllBaselines()) {
    if (baseline.name == name) return &baseline;
  }
  return nullptr;
}

}  // namespace

absl::StatusOr<CheckmateFigures> EvaluateProgramAsCheckmate(const optimizer::Graph& graph,
                                                            const optimizer::Costs& costs,
                                                            const optimizer::Program& program) {
  std::vector<optimizer::NodeId> order;
  for (const optimizer::Step& step : program) {
    if (step.action == optimizer::Action::kRun) order.push_back(step.id);
  }
  const StagedGraph staged(graph, costs, order, {});
  const absl::StatusOr<Schedule> schedule = ScheduleOfProgram(graph, staged, program);
  if (!schedule.ok()) return schedule.status();
  CheckmateFigures figures = EvaluateAsCheckmate(staged, *schedule);
  figures.peak_bytes += staged.fixed_bytes();
  return figures;
}

bool HasCheckmateSchedules(absl::string_view strategy) {
  return strategy == kKeepAll || FindBaseline(strategy) != nullptr;
}

std::optional<CheckmateFigures> FastestAsCheckmate(absl::string_view strategy, const optimizer::Graph& graph,
                                                   const optimizer::Costs& costs, int64_t budget_bytes) {
  const StagedGraph staged(graph, costs, optimizer::CapturedOrder(graph), {});
  const Passes passes = FindPasses(staged, &graph);
  std::optional<CheckmateFigures> fastest;
  const auto count = [&](StageMatrix held) {
    CheckmateFigures figures = EvaluateAsCheckmate(staged, ScheduleOf(staged, std::move(held)));
    figures.peak_bytes += 2 * staged.fixed_bytes();
    const bool fits = figures.peak_bytes <= budget_bytes;
    if (fits && (!fastest.has_value() || figures.seconds < fastest->seconds)) fastest = figures;
    return true;
  };
  if (strategy == kKeepAll) {
    count(HoldCheckpoints(staged, passes, passes.candidates));
    return fastest;
  }
  const Baseline* const baseline = FindBaseline(strategy);
  CHECK(baseline != nullptr) << strategy;
  baseline->visit_schedules(staged, passes, count);
  return fastest;
}

}  // namespace str::strategies
