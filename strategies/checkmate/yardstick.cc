#include "strategies/checkmate/yardstick.h"

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "absl/log/check.h"
#include "optimizer/simulator/program.h"
#include "strategies/checkmate/baselines.h"
#include "strategies/checkmate/passes.h"
#include "strategies/checkmate/retention.h"

namespace str::strategies {
namespace {

using Schedules = std::function<std::vector<StageMatrix>(const StagedGraph&, const Passes&)>;

Schedules Sqrt(Checkpoints where) {
  return [where](const StagedGraph& staged, const Passes& passes) {
    return std::vector<StageMatrix>{ChenSqrt(staged, passes, where).held};
  };
}

Schedules Greedy(Checkpoints where) {
  return [where](const StagedGraph& staged, const Passes& passes) {
    std::vector<StageMatrix> held;
    for (const std::vector<int>& checkpoints : ChenGreedySweep(staged, passes, where)) {
      held.push_back(HoldCheckpoints(staged, passes, checkpoints));
    }
    return held;
  };
}

std::vector<StageMatrix> KeepAll(const StagedGraph& staged, const Passes& passes) {
  return {HoldCheckpoints(staged, passes, passes.candidates)};
}

std::vector<StageMatrix> Last(const StagedGraph& staged, const Passes& passes) { return {HoldLast(staged, passes)}; }

std::vector<StageMatrix> Griewank(const StagedGraph& staged, const Passes& passes) {
  std::vector<StageMatrix> held;
  for (const int snapshots : SnapshotCounts(static_cast<int>(passes.articulation_points.size()))) {
    held.push_back(HoldByRevolve(staged, passes, snapshots));
  }
  return held;
}

const std::vector<std::pair<std::string, Schedules>>& AllSchedules() {
  static const auto* const all = new std::vector<std::pair<std::string, Schedules>>{
      {"keep-all", KeepAll},
      {"checkpoint-last", Last},
      {"chen-sqrt", Sqrt(Checkpoints::kArticulationPoints)},
      {"chen-sqrt-noap", Sqrt(Checkpoints::kAnywhere)},
      {"chen-greedy", Greedy(Checkpoints::kArticulationPoints)},
      {"chen-greedy-noap", Greedy(Checkpoints::kAnywhere)},
      {"griewank", Griewank},
  };
  return *all;
}

const Schedules* FindSchedules(absl::string_view strategy) {
  for (const auto& [name, schedules] : AllSchedules()) {
    if (name == strategy) return &schedules;
  }
  return nullptr;
}

}  // namespace

bool HasCheckmateSchedules(absl::string_view strategy) { return FindSchedules(strategy) != nullptr; }

std::optional<CheckmateFigures> FastestAsCheckmate(absl::string_view strategy, const optimizer::Graph& graph,
                                                   const optimizer::Costs& costs, int64_t budget_bytes) {
  const Schedules* schedules = FindSchedules(strategy);
  CHECK(schedules != nullptr) << strategy;
  const StagedGraph staged(graph, costs, optimizer::CapturedOrder(graph), {});
  const Passes passes = FindPasses(staged, &graph);
  std::optional<CheckmateFigures> fastest;
  for (StageMatrix& held : (*schedules)(staged, passes)) {
    CheckmateFigures figures = EvaluateAsCheckmate(staged, ScheduleOf(staged, std::move(held)));
    figures.peak_bytes += 2 * staged.fixed_bytes();
    if (figures.peak_bytes > budget_bytes) continue;
    if (!fastest.has_value() || figures.seconds < fastest->seconds) fastest = figures;
  }
  return fastest;
}

}  // namespace str::strategies
