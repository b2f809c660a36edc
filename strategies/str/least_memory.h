// The plan that needs the least memory, whatever it costs.
#ifndef STR_STRATEGIES_STR_LEAST_MEMORY_H_
#define STR_STRATEGIES_STR_LEAST_MEMORY_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "optimizer/simulator/program.h"
#include "strategies/str/evaluation.h"
#include "strategies/str/evaluator.h"
#include "strategies/str/problem.h"
#include "strategies/str/search.h"

namespace str::strategies {

struct LeastMemory {
  Decisions decisions;
  optimizer::Program program;
  int64_t peak_bytes = 0;
  // With its buffers placed, if they must be.
  int64_t fit_bytes = 0;
};

// Where swapping is allowed, everything is dropped in every gap, so that each stage holds only what it needs; where it
// is not, host memory is short, or that is more than the budget, the peak is brought down step by step too.
absl::StatusOr<LeastMemory> FindLeastMemory(const PlanRequest& request, const Problem& problem, Search* search,
                                            Evaluator* evaluator);

}  // namespace str::strategies

#endif  // STR_STRATEGIES_STR_LEAST_MEMORY_H_
