// For each resident storage the summed cost of the evicted ancestors, or descendants, that are reached through evicted
// storages only. Sums are kept until an eviction or a return changes what is reached.
#ifndef STR_STRATEGIES_DTR_EVICTED_REACH_H_
#define STR_STRATEGIES_DTR_EVICTED_REACH_H_

#include <cstdint>
#include <vector>

#include "strategies/dtr/state.h"

namespace str::dtr {

class EvictedReach {
 public:
  enum Direction { kAncestors, kDescendants };
  EvictedReach(const State* state, Direction direction);

  // Of a resident storage. If it is above `enough`: anything above that, but not above the sum.
  int64_t Sum(int32_t storage, int64_t enough);
  // The storage was evicted: sums that reach it are larger now.
  void Evicted(int32_t storage) { Demote(storage, kAtLeast); }
  // It is evicted no more.
  void Returned(int32_t storage) { Demote(storage, kInvalid); }

 private:
  enum Validity : int8_t { kInvalid, kAtLeast, kExact };

  // Nothing that reaches the storage is more valid than this.
  void Demote(int32_t storage, Validity validity);

  absl::Span<const int32_t> Towards(int32_t storage) const {
    return direction_ == kAncestors ? state_.parents(storage) : state_.children(storage);
  }
  absl::Span<const int32_t> Away(int32_t storage) const {
    return direction_ == kAncestors ? state_.children(storage) : state_.parents(storage);
  }

  const State& state_;
  const Direction direction_;
  std::vector<int64_t> sum_;
  // What sum_ is, for a resident storage. An evicted one is at least as valid as the sums that counted it, so that what
  // lies behind it need not be visited to make it less valid than it is.
  std::vector<Validity> valid_;
  std::vector<int32_t> visited_;
  int32_t visit_ = 0;
  std::vector<int32_t> stack_;
};

}  // namespace str::dtr

#endif  // STR_STRATEGIES_DTR_EVICTED_REACH_H_
