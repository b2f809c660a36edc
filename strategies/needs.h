// What a program needs and costs by the judge, placed or not as the request says.
#ifndef STR_STRATEGIES_NEEDS_H_
#define STR_STRATEGIES_NEEDS_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "optimizer/simulator/program.h"
#include "strategies/planner.h"

namespace str::strategies {

struct Needs {
  int64_t peak_bytes = 0;
  // With its buffers placed, if they must be; else the peak.
  int64_t bytes = 0;
  int64_t host_peak_bytes = 0;
  double seconds = 0;
};

// Places only until the program fits `enough_bytes`; 0: as far as it goes.
absl::StatusOr<Needs> FindNeeds(const PlanRequest& request, const optimizer::Program& program, int64_t enough_bytes);

}  // namespace str::strategies

#endif  // STR_STRATEGIES_NEEDS_H_
