#include "strategies/checkmate/baseline_list.h"

#include "strategies/checkmate/baselines.h"
#include "strategies/checkmate/retention.h"

namespace str::strategies {
namespace {

using Visit = Baseline::Visit;

std::function<void(const StagedGraph&, const Passes&, const Visit&)> Sqrt(Checkpoints where) {
  return [where](const StagedGraph& staged, const Passes& passes, const Visit& visit) {
    visit(ChenSqrt(staged, passes, where).held);
  };
}

std::function<void(const StagedGraph&, const Passes&, const Visit&)> Greedy(Checkpoints where) {
  return [where](const StagedGraph& staged, const Passes& passes, const Visit& visit) {
    for (const std::vector<int>& checkpoints : ChenGreedySweep(staged, passes, where)) {
      if (!visit(HoldCheckpoints(staged, passes, checkpoints))) return;
    }
  };
}

void Last(const StagedGraph& staged, const Passes& passes, const Visit& visit) { visit(HoldLast(staged, passes)); }

void Griewank(const StagedGraph& staged, const Passes& passes, const Visit& visit) {
  for (const int snapshots : SnapshotCounts(static_cast<int>(passes.articulation_points.size()))) {
    if (!visit(HoldByRevolve(staged, passes, snapshots))) return;
  }
}

}  // namespace

const std::vector<Baseline>& AllBaselines() {
  static const auto* const all = new std::vector<Baseline>{
      {"checkpoint-last", "holds only the value before and recomputes everything else; the least memory", Last},
      {"chen-sqrt", "recomputes between checkpoints at every k-th articulation point, k the root of their number",
       Sqrt(Checkpoints::kArticulationPoints)},
      {"chen-sqrt-noap", "chen-sqrt with checkpoints anywhere in the forward pass", Sqrt(Checkpoints::kAnywhere)},
      {"chen-greedy", "recomputes between checkpoints at articulation points, so many bytes apart",
       Greedy(Checkpoints::kArticulationPoints)},
      {"chen-greedy-noap", "chen-greedy with checkpoints anywhere in the forward pass", Greedy(Checkpoints::kAnywhere)},
      {"griewank", "recomputes by the optimal schedule for reversing a chain (revolve), over articulation points",
       Griewank},
  };
  return *all;
}

}  // namespace str::strategies
