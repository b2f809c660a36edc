// Buffers as a placer sees them: bytes, and when they are held.
#ifndef STR_OPTIMIZER_PLACEMENT_TIMED_BUFFER_H_
#define STR_OPTIMIZER_PLACEMENT_TIMED_BUFFER_H_

#include <cstdint>
#include <vector>

namespace str::optimizer {

// Held from `first_step` to `last_step`, both included. REQUIRES, wherever one is taken: 0 <= first_step <= last_step
// and bytes > 0.
struct TimedBuffer {
  int32_t first_step = 0;
  int32_t last_step = 0;
  int64_t bytes = 0;
};

// The most bytes that are held at once: no arena can be smaller.
int64_t HighestLoad(const std::vector<TimedBuffer>& buffers);

}  // namespace str::optimizer

#endif  // STR_OPTIMIZER_PLACEMENT_TIMED_BUFFER_H_
