#include "strategies/program_list.h"

#include <algorithm>
#include <utility>

#include "strategies/needs.h"

namespace str::strategies {
namespace {

// Programs that are still placed once the limit is reached, before the one of least memory is.
constexpr int kLateTries = 3;

}  // namespace

ProgramList::ProgramList(const PlanRequest* request) : request_(*request), simulator_(request->graph, request->costs) {}

absl::Status ProgramList::Add(optimizer::Program program) {
  optimizer::Simulation simulation;
  if (absl::Status status = simulator_.Run(program, {}, &simulation); !status.ok()) return status;
  for (const Entry& entry : entries_) {
    if (entry.peak_bytes == simulation.peak_bytes && entry.program == program) return absl::OkStatus();
  }
  entries_.push_back({std::move(program), simulation.peak_bytes, simulation.seconds});
  return absl::OkStatus();
}

absl::StatusOr<PlanResult> ProgramList::Choose(const Limit& limit, bool complete) const {
  std::vector<const Entry*> entries;
  for (const Entry& entry : entries_) entries.push_back(&entry);
  PlanResult result;
  result.status = PlanStatus::kInfeasible;
  std::stable_sort(entries.begin(), entries.end(),
                   [](const Entry* a, const Entry* b) { return a->seconds < b->seconds; });
  const auto fits = [&](const Entry& entry) -> absl::StatusOr<bool> {
    if (entry.peak_bytes > request_.budget_bytes) return false;
    const absl::StatusOr<Needs> needs = FindNeeds(request_, entry.program, request_.budget_bytes);
    if (!needs.ok()) return needs.status();
    if (needs->bytes > request_.budget_bytes) return false;
    result.status = PlanStatus::kFeasible;
    result.program = entry.program;
    return true;
  };
  int late = 0;
  for (const Entry* entry : entries) {
    if (entry->peak_bytes > request_.budget_bytes) continue;
    if (limit.Reached() && ++late > kLateTries) break;
    const absl::StatusOr<bool> found = fits(*entry);
    if (!found.ok()) return found.status();
    if (*found) break;
  }
  std::stable_sort(entries.begin(), entries.end(),
                   [](const Entry* a, const Entry* b) { return a->peak_bytes < b->peak_bytes; });
  if (late > kLateTries) {
    if (const absl::StatusOr<bool> found = fits(*entries.front()); !found.ok()) return found.status();
  }
  for (const Entry* entry : entries) {
    // Nothing needs less than its peak.
    if (!result.least_memory_program.empty() && entry->peak_bytes >= result.min_budget_bytes) break;
    complete = complete && !limit.Reached();
    if (!complete) break;
    const absl::StatusOr<Needs> needs = FindNeeds(request_, entry->program, 0);
    if (!needs.ok()) return needs.status();
    if (!result.least_memory_program.empty() && needs->bytes >= result.min_budget_bytes) continue;
    result.min_budget_bytes = needs->bytes;
    result.least_memory_program = entry->program;
  }
  if (!complete) {
    result.min_budget_bytes = 0;
    result.least_memory_program.clear();
    if (result.program.empty()) result.status = PlanStatus::kLimit;
  }
  return result;
}

}  // namespace str::strategies
