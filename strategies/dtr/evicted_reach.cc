#include "strategies/dtr/evicted_reach.h"

namespace str::dtr {

EvictedReach::EvictedReach(const State* state, Direction direction)
    : state_(*state),
      direction_(direction),
      sum_(state->storage_count(), 0),
      valid_(state->storage_count(), kInvalid),
      visited_(state->storage_count(), 0) {}

int64_t EvictedReach::Sum(int32_t storage, int64_t enough) {
  if (valid_[storage] == kExact || (valid_[storage] == kAtLeast && sum_[storage] > enough)) return sum_[storage];
  ++visit_;
  int64_t sum = 0;
  stack_.assign(1, storage);
  while (!stack_.empty() && sum <= enough) {
    const int32_t next = stack_.back();
    stack_.pop_back();
    for (const int32_t near : Towards(next)) {
      if (visited_[near] == visit_ || !state_.storage(near).evicted) continue;
      visited_[near] = visit_;
      valid_[near] = kExact;
      sum += state_.storage(near).cost;
      stack_.push_back(near);
    }
  }
  sum_[storage] = sum;
  valid_[storage] = stack_.empty() ? kExact : kAtLeast;
  return sum;
}

void EvictedReach::Demote(int32_t storage, Validity validity) {
  valid_[storage] = validity;
  stack_.assign(1, storage);
  while (!stack_.empty()) {
    const int32_t next = stack_.back();
    stack_.pop_back();
    for (const int32_t far : Away(next)) {
      if (valid_[far] <= validity) continue;
      valid_[far] = validity;
      if (state_.storage(far).evicted) stack_.push_back(far);
    }
  }
}

}  // namespace str::dtr
