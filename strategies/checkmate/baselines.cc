#include "strategies/checkmate/baselines.h"

#include <algorithm>
#include <utility>

#include "strategies/checkmate/checkpoints.h"
#include "strategies/checkmate/retention.h"

namespace str::strategies {
namespace {

constexpr int kSweepPoints = 300;
constexpr double kSweepStep = 0.01;

const std::vector<int>& Candidates(const Passes& passes, Checkpoints where) {
  return where == Checkpoints::kAnywhere ? passes.candidates : passes.articulation_points;
}

}  // namespace

Schedule ScheduleOf(const StagedGraph& staged, StageMatrix held) {
  Schedule schedule;
  schedule.computed = LeastComputed(staged, held);
  schedule.held = std::move(held);
  return schedule;
}

Schedule ChenSqrt(const StagedGraph& staged, const Passes& passes, Checkpoints where) {
  return ScheduleOf(staged, HoldCheckpoints(staged, passes, SqrtCheckpoints(Candidates(passes, where))));
}

std::vector<std::vector<int>> ChenGreedySweep(const StagedGraph& staged, const Passes& passes, Checkpoints where) {
  const Schedule unit = ChenSqrt(staged, passes, Checkpoints::kAnywhere);
  const auto unit_bytes = static_cast<double>(EvaluateAsCheckmate(staged, unit).peak_bytes);
  std::vector<std::vector<int>> sets;
  for (int i = 0; i < kSweepPoints; ++i) {
    std::vector<int> set = GreedyCheckpoints(staged, passes, Candidates(passes, where), unit_bytes * (i * kSweepStep));
    if (std::find(sets.begin(), sets.end(), set) == sets.end()) sets.push_back(std::move(set));
  }
  return sets;
}

std::vector<int> SnapshotCounts(int points) {
  std::vector<int> counts;
  for (int count = 0; count < points; count += 1 + count / 20) counts.push_back(count);
  counts.push_back(points);
  return counts;
}

}  // namespace str::strategies
