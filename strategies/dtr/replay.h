// Replays a log under a budget, and compares with what it needs and costs when nothing is evicted.
#ifndef STR_STRATEGIES_DTR_REPLAY_H_
#define STR_STRATEGIES_DTR_REPLAY_H_

#include <cstdint>

#include "strategies/dtr/runtime.h"
#include "strategies/dtr/trace.h"

namespace str::dtr {

// Bytes at once with room for everything, where what is released is removed at once: what shares of a budget mean.
int64_t UnlimitedPeak(const Trace& trace);

// The clock at the end, or where the run was given up, by what all operators cost once. 1: nothing was recomputed.
double Overhead(const Trace& trace, const RunResult& result);

}  // namespace str::dtr

#endif  // STR_STRATEGIES_DTR_REPLAY_H_
