#include "strategies/str/needs.h"

#include "optimizer/placement/fit.h"
#include "optimizer/simulator/judge.h"

namespace str::strategies {

absl::StatusOr<Needs> FindNeeds(const PlanRequest& request, const optimizer::Program& program, int64_t enough_bytes) {
  if (!request.placed) {
    const absl::StatusOr<optimizer::Verdict> verdict = optimizer::Judge(*request.graph, *request.costs, program);
    if (!verdict.ok()) return verdict.status();
    return Needs{verdict->peak_bytes(), verdict->peak_bytes(), verdict->seconds()};
  }
  const absl::StatusOr<optimizer::Fit> fit =
      optimizer::FitProgram(*request.graph, *request.costs, program, enough_bytes);
  if (!fit.ok()) return fit.status();
  return Needs{fit->verdict.peak_bytes(), fit->fit_bytes, fit->verdict.seconds()};
}

}  // namespace str::strategies
