#include "strategies/str/least_memory.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "strategies/needs.h"

namespace str::strategies {
namespace {

// Where the way down begins, and how it first tries to make things again.
enum class Start { kSwapAll, kSwapUnlessInPlace, kKeepAll, kRerunAll };
struct WayDown {
  Start start;
  Mode rerun;
};
constexpr WayDown kWaysDown[] = {{Start::kSwapAll, Mode::kTransient},
                                 // A copy out would hold what is worked on in place.
                                 {Start::kSwapUnlessInPlace, Mode::kTransient},
                                 {Start::kKeepAll, Mode::kTransient},
                                 {Start::kRerunAll, Mode::kTransient},
                                 // Chains in which everything is dropped again double with every link.
                                 {Start::kKeepAll, Mode::kRecompute}};

Decisions StartFrom(const Problem& problem, Start start) {
  Decisions decisions = problem.KeepEverything();
  if (start == Start::kKeepAll) return decisions;
  std::vector<bool> rerun(problem.storages().size(), start == Start::kRerunAll);
  if (start == Start::kSwapUnlessInPlace) {
    for (const Unit& unit : problem.units()) rerun[unit.storage] = rerun[unit.storage] || unit.hands_over;
  }
  for (size_t u = 0; u < decisions.size(); ++u) {
    const Unit& unit = problem.units()[u];
    const Mode strongest = rerun[unit.storage] ? Mode::kTransient : Mode::kSwap;
    const Mode other = rerun[unit.storage] ? Mode::kSwap : Mode::kTransient;
    decisions[u] = problem.Allows(unit, strongest) ? strongest : problem.Allows(unit, other) ? other : Mode::kKeep;
  }
  return decisions;
}

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
  std::vector<std::pair<Decisions, Mode>> begun;
  for (const auto& [start, rerun] : kWaysDown) {
    // Dropped by swapping, every stage is down to what it needs; other starts seldom do better.
    const bool fits = !best.program.empty() && best.fit_bytes <= request.budget_bytes;
    if (start == Start::kKeepAll && problem.allows_swap() && fits) break;
    Decisions decisions = StartFrom(problem, start);
    if (std::find(begun.begin(), begun.end(), std::make_pair(decisions, rerun)) != begun.end()) continue;
    begun.emplace_back(decisions, rerun);
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
  }
  return best;
}

}  // namespace str::strategies
