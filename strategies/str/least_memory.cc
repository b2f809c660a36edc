#include "strategies/str/least_memory.h"

#include <utility>

#include "strategies/needs.h"

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

// Where the way down begins, and how it first tries to make things again.
enum class Start { kSwapAll, kKeepAll, kRerunAll };
struct WayDown {
  Start start;
  Mode rerun;
};
constexpr WayDown kWaysDown[] = {{Start::kSwapAll, Mode::kTransient},
                                 {Start::kKeepAll, Mode::kTransient},
                                 {Start::kRerunAll, Mode::kTransient},
                                 // Chains in which everything is dropped again double with every link.
                                 {Start::kKeepAll, Mode::kRecompute}};

absl::Status Consider(const PlanRequest& request, const Decisions& decisions, Evaluator* evaluator, LeastMemory* best) {
  if (!evaluator->EvaluateMemory(decisions, 0).valid) return absl::OkStatus();
  const absl::StatusOr<Needs> needs = FindNeeds(request, evaluator->tight_program(), /*enough_bytes=*/0);
  if (!needs.ok()) return needs.status();
  if (request.host_limit_bytes > 0 && needs->host_peak_bytes > request.host_limit_bytes) return absl::OkStatus();
  if (!best->program.empty() && needs->bytes >= best->fit_bytes) return absl::OkStatus();
  *best = {decisions, evaluator->tight_program(), needs->peak_bytes, needs->bytes};
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<LeastMemory> FindLeastMemory(const PlanRequest& request, const Problem& problem, Search* search,
                                            Evaluator* evaluator) {
  const int64_t host_limit = request.host_limit_bytes;
  LeastMemory best;
  for (const auto& [start, rerun] : kWaysDown) {
    Decisions decisions = start == Start::kSwapAll    ? DropAll(problem, Mode::kSwap)
                          : start == Start::kRerunAll ? DropAll(problem, Mode::kTransient)
                                                      : problem.KeepEverything();
    const Evaluation evaluation = search->evaluator().Evaluate(decisions, 0);
    if (!evaluation.valid || (host_limit > 0 && evaluation.host_peak_bytes > host_limit)) continue;
    if (start == Start::kKeepAll) {
      if (absl::Status status = Consider(request, decisions, evaluator, &best); !status.ok()) return status;
    }
    search->Descend(rerun, &decisions);
    const int64_t peak = search->evaluator().EvaluateMemory(decisions, 0).tight_peak_bytes;
    absl::Status status = Consider(request, decisions, evaluator, &best);
    if (!status.ok()) return status;
    // With what is not needed for that peak taken back there is less to place, which often packs better.
    search->CleanUp(peak, &decisions);
    status = Consider(request, decisions, evaluator, &best);
    if (!status.ok()) return status;
    // Dropped by swapping, every stage is down to what it needs: other starts cannot do better.
    if (start == Start::kSwapAll && problem.allows_swap() && !best.program.empty()) break;
  }
  return best;
}

}  // namespace str::strategies
