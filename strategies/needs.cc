#include "strategies/needs.h"

#include "optimizer/placement/fit.h"
#include "optimizer/simulator/judge.h"

namespace str::strategies {
namespace {

Needs FromVerdict(const optimizer::Verdict& verdict, int64_t bytes) {
  return {verdict.peak_bytes(), bytes, verdict.simulation.host_peak_bytes, verdict.seconds()};
}

}  // namespace

absl::StatusOr<Needs> FindNeeds(const PlanRequest& request, const optimizer::Program& program, int64_t enough_bytes) {
  if (!request.placed) {
    const absl::StatusOr<optimizer::Verdict> verdict = optimizer::Judge(*request.graph, *request.costs, program);
    if (!verdict.ok()) return verdict.status();
    return FromVerdict(*verdict, verdict->peak_bytes());
  }
  const absl::StatusOr<optimizer::Fit> fit =
      optimizer::FitProgram(*request.graph, *request.costs, program, enough_bytes);
  if (!fit.ok()) return fit.status();
  return FromVerdict(fit->verdict, fit->fit_bytes);
}

}  // namespace str::strategies
