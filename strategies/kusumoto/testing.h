// Value graphs for tests.
#ifndef STR_STRATEGIES_KUSUMOTO_TESTING_H_
#define STR_STRATEGIES_KUSUMOTO_TESTING_H_

#include <cstdint>

#include "strategies/kusumoto/value_graph.h"

namespace str::strategies::kusumoto {

// `branches` chains of `length` values side by side, and, if there are several, a value that joins them. All values
// have a byte and a unit of time.
ValueGraph Parallel(int branches, int length);

// `count` of them one after the other; every branch takes the value that joins those before it.
ValueGraph Modules(int count, int branches, int length);

// Every value takes one to three of the few before it; bytes and times from 1 to 9.
ValueGraph RandomGraph(uint64_t seed, int values);

}  // namespace str::strategies::kusumoto

#endif  // STR_STRATEGIES_KUSUMOTO_TESTING_H_
