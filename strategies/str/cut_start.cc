#include "strategies/str/cut_start.h"

namespace str::strategies {

using optimizer::CutFate;
using optimizer::kNone;

Decisions StartFromCut(const Problem& problem, const optimizer::CutPlan& plan) {
  Decisions decisions = problem.KeepEverything();
  int32_t cut = 0;
  while (cut < problem.stages() && problem.node(cut) != plan.cut) ++cut;
  for (const auto& [tensor, fate] : plan.fates) {
    const int32_t id = problem.storage_of(tensor);
    if (id == kNone) continue;
    const Storage& storage = problem.storages()[id];
    for (int32_t u = storage.first_unit; u < storage.first_unit + storage.units; ++u) {
      const Unit& unit = problem.units()[u];
      if (unit.from >= cut || cut >= unit.to) continue;
      const Mode mode = fate == CutFate::kResident  ? Mode::kKeep
                        : fate == CutFate::kFetched ? Mode::kSwap
                                                    : Mode::kRecompute;
      if (problem.Allows(unit, mode)) decisions[u] = mode;
    }
  }
  return decisions;
}

}  // namespace str::strategies
