#include "optimizer/placement/timed_buffer.h"

#include <algorithm>

namespace str::optimizer {

int64_t HighestLoad(const std::vector<TimedBuffer>& buffers) {
  int32_t steps = 0;
  for (const TimedBuffer& buffer : buffers) steps = std::max(steps, buffer.last_step + 2);
  std::vector<int64_t> change(steps, 0);
  for (const TimedBuffer& buffer : buffers) {
    change[buffer.first_step] += buffer.bytes;
    change[buffer.last_step + 1] -= buffer.bytes;
  }
  int64_t load = 0, highest = 0;
  for (const int64_t delta : change) {
    load += delta;
    highest = std::max(highest, load);
  }
  return highest;
}

}  // namespace str::optimizer
