// File: messages.h
//
// What the plugin tells people: one line each on stderr, with a code that docs/messages.md explains.
//
//   STR-2001  a setting cannot be understood
//   STR-2002  a strategy file cannot be read
//   STR-2003  a strategy does not fit the graph
//   STR-2004  an action of a strategy was refused
//   STR-2005  a strategy swaps more than the host or the disk may take
//   STR-2006  the plugin's payload cannot be loaded (loader.cc)
//   STR-2007  STR_BUDGET cannot be met: an error of the step
//   STR-2008  a step is not planned although STR_BUDGET asks for it
//   STR-3001  a strategy was applied: what was done, predicted and measured
//   STR-3002  a graph was captured
//   STR-3003  a graph could not be captured
//   STR-3004  the disk tier lies in memory
//   STR-3005  how much memory loops hold, which no plan changes
//   STR-3006  a strategy is used for a graph that differs in small nodes
//   STR-3007  choices of TensorFlow's passes are not settled
//   STR-3008  a training step was taken from XLA, or is left to it
//   STR-3009  STR_BUDGET: planning, and what came of it
//   STR-3010  STR_BUDGET: a step runs once without a plan, to be measured
//   STR-3011  what was asked for had no effect: no training step was seen
//   STR-3012  a later step is larger than the one that was planned
//   STR-3013  the speed of copies is not measured
//   STR-3014  an op of a GPU failed for want of device memory: why there was none
//   STR-3015  a GPU's swaps cost more than planned
//
// Errors of a step, which TensorFlow prints with the step's own words (rewrite/plan_observer.h):
//
//   STR-4001  a node of the program did not run, ran twice or ran out of order
//   STR-4002  a result of the step has no value
//   STR-4003  memory is not as planned
//   STR-4004  a value is not what was first computed
#ifndef STR_TF_PLUGIN_MESSAGES_H_
#define STR_TF_PLUGIN_MESSAGES_H_

#include <string>

#include "absl/strings/string_view.h"

namespace str {

// Prints "CODE text" unless STR_VERBOSE is below `level` (1: what everybody should see, 2: details).
void Say(absl::string_view code, absl::string_view text, int level = 1);

// The same line only once per process.
void SayOnce(absl::string_view code, absl::string_view text, int level = 1);

}  // namespace str

#endif  // STR_TF_PLUGIN_MESSAGES_H_
