#include "strategies/greedy/least_memory.h"

#include <utility>

#include "optimizer/placement/fit.h"

namespace str::strategies {
namespace {

// `strongest` where the unit allows it, else the other way of dropping it, else kept.
Decisions DropAll(const Problem& problem, Mode strongest) {
  Decisions decisions;
  for (const Unit& unit : problem.units()) {
    const Mode other = strongest == Mode::kSwap ? Mode::kTransient : Mode::kSwap;
    decisions.push_back(problem.Allows(unit, strongest) ? strongest
                        : problem.Allows(unit, other)   ? other
                                                        : Mode::kKeep);
  }
  return decisions;
}

// Where the way down begins.
enum class Start { kSwapAll, kKeepAll, kRerunAll };

absl::Status Consider(const Problem& problem, const Decisions& decisions, const optimizer::Program& program,
                      LeastMemory* best) {
  const absl::StatusOr<optimizer::Fit> fit = optimizer::FitProgram(problem.graph(), problem.costs(), program);
  if (!fit.ok()) return fit.status();
  if (!best->program.empty() && fit->fit_bytes >= best->fit_bytes) return absl::OkStatus();
  *best = {decisions, program, fit->verdict.peak_bytes(), fit->fit_bytes};
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<LeastMemory> FindLeastMemory(const Problem& problem, Search* search, int64_t host_limit_bytes) {
  LeastMemory best;
  for (const Start start : {Start::kSwapAll, Start::kKeepAll, Start::kRerunAll}) {
    Decisions decisions = start == Start::kSwapAll    ? DropAll(problem, Mode::kSwap)
                          : start == Start::kRerunAll ? DropAll(problem, Mode::kTransient)
                                                      : Decisions(problem.units().size(), Mode::kKeep);
    const Evaluation evaluation = search->evaluator().EvaluateMemory(decisions, 0);
    if (!evaluation.valid || (host_limit_bytes > 0 && evaluation.host_peak_bytes > host_limit_bytes)) continue;
    search->Descend(&decisions);
    const int64_t peak = search->evaluator().EvaluateMemory(decisions, 0).tight_peak_bytes;
    absl::Status status = Consider(problem, decisions, search->evaluator().tight_program(), &best);
    if (!status.ok()) return status;
    // With what is not needed for that peak taken back there is less to place, which often packs better.
    search->CleanUp(peak, &decisions);
    search->evaluator().EvaluateMemory(decisions, peak);
    status = Consider(problem, decisions, search->evaluator().tight_program(), &best);
    if (!status.ok()) return status;
    // Dropped by swapping, every stage is down to what it needs: other starts cannot do better.
    if (start == Start::kSwapAll && problem.allows_swap()) break;
  }
  return best;
}

}  // namespace str::strategies
