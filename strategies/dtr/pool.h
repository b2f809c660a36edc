// The storages that may be evicted, in the order in which they became so. Adding and removing take constant time.
#ifndef STR_STRATEGIES_DTR_POOL_H_
#define STR_STRATEGIES_DTR_POOL_H_

#include <cstdint>
#include <vector>

#include "strategies/dtr/trace.h"

namespace str::dtr {

class Pool {
 public:
  explicit Pool(int storage_count) : links_(storage_count) {}

  bool Has(int32_t id) const { return links_[id].in; }
  int size() const { return size_; }
  // kNone at the end.
  int32_t first() const { return first_; }
  int32_t Next(int32_t id) const { return links_[id].next; }

  // At the end. Must not be in it.
  void Add(int32_t id) {
    links_[id] = {last_, kNone, true};
    (last_ == kNone ? first_ : links_[last_].next) = id;
    last_ = id;
    ++size_;
  }

  // Must be in it.
  void Remove(int32_t id) {
    const Link link = links_[id];
    (link.previous == kNone ? first_ : links_[link.previous].next) = link.next;
    (link.next == kNone ? last_ : links_[link.next].previous) = link.previous;
    links_[id].in = false;
    --size_;
  }

 private:
  struct Link {
    int32_t previous = kNone;
    int32_t next = kNone;
    bool in = false;
  };

  std::vector<Link> links_;
  int32_t first_ = kNone;
  int32_t last_ = kNone;
  int size_ = 0;
};

}  // namespace str::dtr

#endif  // STR_STRATEGIES_DTR_POOL_H_
