// What of a strategy can be checked without its graph: a known version, a well-formed fingerprint, finite figures,
// places inside the arena, and a program that makes sense by itself (nothing is run again, copied out or brought back
// before it is there).
#ifndef STR_CONFIG_STRATEGY_VALIDATOR_H_
#define STR_CONFIG_STRATEGY_VALIDATOR_H_

#include "absl/status/status.h"
#include "config/strategy.pb.h"

namespace str::config {

// InvalidArgument naming the step, counted from 1, and its text; the first violation found.
absl::Status ValidateStrategy(const StrategyFile& strategy);

}  // namespace str::config

#endif  // STR_CONFIG_STRATEGY_VALIDATOR_H_
