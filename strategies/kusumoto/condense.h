// Makes a graph of nodes smaller by fusing neighbours, never so that a cycle comes about.
#ifndef STR_STRATEGIES_KUSUMOTO_CONDENSE_H_
#define STR_STRATEGIES_KUSUMOTO_CONDENSE_H_

#include <cstdint>
#include <vector>

namespace str::strategies::kusumoto {

struct Fusable {
  int64_t bytes = 0;
  // Earlier items, each once.
  std::vector<int> inputs;
};

// By item, to which group it belongs; groups are counted up in an order in which each comes after its inputs. An item
// without bytes joins its only input, else its only consumer; then the two neighbours with the fewest bytes are fused
// until there are at most `most` groups, where that is possible.
std::vector<int> Condense(const std::vector<Fusable>& items, int most);

}  // namespace str::strategies::kusumoto

#endif  // STR_STRATEGIES_KUSUMOTO_CONDENSE_H_
