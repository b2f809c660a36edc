// Families of lower sets of a value graph, as bit sets side by side in one array.
#ifndef STR_STRATEGIES_KUSUMOTO_LOWER_SETS_H_
#define STR_STRATEGIES_KUSUMOTO_LOWER_SETS_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "strategies/kusumoto/value_graph.h"

namespace str::strategies::kusumoto {

// The empty set first, the whole graph last, every set before those that hold it.
class LowerSets {
 public:
  LowerSets(int values, std::vector<uint64_t> words);

  int size() const { return size_; }
  int words() const { return words_; }
  const uint64_t* set(int index) const { return bits_.data() + static_cast<size_t>(index) * words_; }
  bool Has(int index, int value) const { return (set(index)[value / 64] >> (value % 64)) & 1; }
  // Whether `inner` is a part of `outer`.
  bool IsSubset(int inner, int outer) const {
    const uint64_t* a = set(inner);
    const uint64_t* b = set(outer);
    for (int w = 0; w < words_; ++w) {
      if ((a[w] & ~b[w]) != 0) return false;
    }
    return true;
  }

 private:
  int words_ = 0;
  int size_ = 0;
  std::vector<uint64_t> bits_;
};

// All of them. None if there are more than `most` or `stop`, asked now and then, says so.
std::optional<LowerSets> AllLowerSets(const ValueGraph& graph, int most, const std::function<bool()>& stop);

// The pruned family: for each value, it and all that it is made from; and the empty and the whole set.
LowerSets PrunedLowerSets(const ValueGraph& graph);

}  // namespace str::strategies::kusumoto

#endif  // STR_STRATEGIES_KUSUMOTO_LOWER_SETS_H_
