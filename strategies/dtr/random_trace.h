// Random traces for tests: calls with several outputs, views, in-place changes, copies and releases, as logs have them.
#ifndef STR_STRATEGIES_DTR_RANDOM_TRACE_H_
#define STR_STRATEGIES_DTR_RANDOM_TRACE_H_

#include <cstdint>

#include "strategies/dtr/trace.h"

namespace str::dtr {

// Two to four references are taken for each call and most are dropped again. Costs from 0, sizes from 0.
Trace RandomTrace(uint64_t seed, int calls);

}  // namespace str::dtr

#endif  // STR_STRATEGIES_DTR_RANDOM_TRACE_H_
