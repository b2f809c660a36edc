#include "tests/fake_gpu/virtual_clock.h"

#include <algorithm>
#include <iterator>

namespace str::fake_gpu {

int64_t VirtualClock::Enqueue(int device, Engine engine, int64_t ready_ns, int64_t duration_ns) {
  host_ns_ += launch_ns_;
  Busy& busy = engines_[{device, engine}];
  // Nothing that is enqueued from now on can begin before the host's time.
  while (!busy.empty() && busy.begin()->second <= host_ns_) busy.erase(busy.begin());
  int64_t begin = std::max(ready_ns, host_ns_);
  if (duration_ns <= 0) return begin;
  // An engine takes what is ready: work that waits for another stream does not hold up work enqueued after it.
  auto next = busy.upper_bound(begin);
  if (next != busy.begin()) begin = std::max(begin, std::prev(next)->second);
  while (next != busy.end() && next->first < begin + duration_ns) {
    begin = std::max(begin, next->second);
    ++next;
  }
  auto placed = busy.emplace_hint(next, begin, begin + duration_ns);
  // Work without a pause is one entry: most of it is.
  if (placed != busy.begin() && std::prev(placed)->second == begin) {
    const auto previous = std::prev(placed);
    previous->second = placed->second;
    busy.erase(placed);
  }
  return begin + duration_ns;
}

void VirtualClock::HostWaited(int64_t until_ns) { host_ns_ = std::max(host_ns_, until_ns); }

}  // namespace str::fake_gpu
