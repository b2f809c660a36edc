// The forward pass as Kusumoto et al. see it: values that are made from earlier values, each with bytes and a time.
//
// A lower set holds with every value all that it is made from.
#ifndef STR_STRATEGIES_KUSUMOTO_VALUE_GRAPH_H_
#define STR_STRATEGIES_KUSUMOTO_VALUE_GRAPH_H_

#include <cstdint>
#include <vector>

namespace str::strategies::kusumoto {

struct Value {
  int64_t bytes = 0;
  // What of it others take, and what making that takes, in whole units of time. For one node's value: all of it.
  int64_t kept_bytes = 0;
  int64_t kept_time = 0;
  // Indices of other values, each once.
  std::vector<int> inputs;
  std::vector<int> consumers;
};

// Every value after its inputs.
using ValueGraph = std::vector<Value>;

}  // namespace str::strategies::kusumoto

#endif  // STR_STRATEGIES_KUSUMOTO_VALUE_GRAPH_H_
