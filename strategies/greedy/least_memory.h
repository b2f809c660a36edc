// The plan that needs the least memory, whatever it costs.
#ifndef STR_STRATEGIES_GREEDY_LEAST_MEMORY_H_
#define STR_STRATEGIES_GREEDY_LEAST_MEMORY_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "optimizer/simulator/program.h"
#include "strategies/greedy/problem.h"
#include "strategies/greedy/search.h"

namespace str::strategies {

struct LeastMemory {
  Decisions decisions;
  optimizer::Program program;
  int64_t peak_bytes = 0;
  // With its buffers placed.
  int64_t fit_bytes = 0;
};

// Where swapping is allowed, everything is dropped in every gap, so that each stage holds only what it needs; where it
// is not, or host memory is short, the peak is brought down step by step.
absl::StatusOr<LeastMemory> FindLeastMemory(const Problem& problem, Search* search, int64_t host_limit_bytes);

}  // namespace str::strategies

#endif  // STR_STRATEGIES_GREEDY_LEAST_MEMORY_H_
