#include "config/strategy_changes.h"

namespace str::config {

void CountStep(const Step& step, StrategyChanges* changes) {
  changes->swapped_tensors += step.has_swap_out();
  changes->disk_tensors += step.has_swap_out() && step.tier() == TIER_DISK;
  changes->swap_ins += step.has_swap_in();
  changes->recomputed_nodes += step.has_rerun();
}

StrategyChanges CountChanges(const StrategyFile& strategy) {
  StrategyChanges changes;
  for (const Step& step : strategy.step()) CountStep(step, &changes);
  return changes;
}

}  // namespace str::config
