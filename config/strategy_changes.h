// What a strategy does in one training step beyond running every node once. One meaning for all who print it: the
// header of the strategy file, the commands' tables and JSON, and the plugin (STR-3001).
#ifndef STR_CONFIG_STRATEGY_CHANGES_H_
#define STR_CONFIG_STRATEGY_CHANGES_H_

#include "config/strategy.pb.h"

namespace str::config {

struct StrategyChanges {
  // Copies out of the device: a tensor that is swapped out twice counts twice.
  int swapped_tensors = 0;
  // Of these, the ones to the disk.
  int disk_tensors = 0;
  // Copies into the device.
  int swap_ins = 0;
  // Extra runs of nodes: a node that runs three times counts twice.
  int recomputed_nodes = 0;
};

// Adds one step of the program.
void CountStep(const Step& step, StrategyChanges* changes);

StrategyChanges CountChanges(const StrategyFile& strategy);

}  // namespace str::config

#endif  // STR_CONFIG_STRATEGY_CHANGES_H_
