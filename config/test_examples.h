// A small graph and a strategy for it, valid, for tests to take apart.
#ifndef STR_CONFIG_TEST_EXAMPLES_H_
#define STR_CONFIG_TEST_EXAMPLES_H_

#include "config/graph.pb.h"
#include "config/strategy.pb.h"

namespace str::config {

// x, w -> read -> a -> b (in place) -> c (view) -> sum -> grad (takes b again) -> update. `sum` may not be repeated.
GraphFile ExampleGraph();

// Swaps b out and back, and runs c a second time.
StrategyFile ExampleStrategy();

// The node of this name, which must exist.
Node* MutableNode(GraphFile* graph, const char* name);

}  // namespace str::config

#endif  // STR_CONFIG_TEST_EXAMPLES_H_
