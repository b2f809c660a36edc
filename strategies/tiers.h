// Plans of any planner for a host of limited memory with a disk below it.
//
// Planners know one tier, the host. This asks them as if the host had room for everything, and, where the disk makes
// that plan slower, as if every copy were as slow as the disk's and, unless that cannot help, with what the host has;
// sends what does not fit the host to the disk (disk_moves.h), and takes the fastest plan by the judge.
#ifndef STR_STRATEGIES_TIERS_H_
#define STR_STRATEGIES_TIERS_H_

#include <atomic>

#include "absl/status/statusor.h"
#include "strategies/planner.h"

namespace str::strategies {

// As planner.Plan, whose contract holds for the result: besides, it takes at most disk_limit_bytes of the disk. Without
// a limit of both tiers, or with a planner that does not copy, it is planner.Plan. A disk needs known rates.
absl::StatusOr<PlanResult> PlanWithTiers(const Planner& planner, const PlanRequest& request,
                                         const ProgressCallback& progress, const std::atomic<bool>* stop);

}  // namespace str::strategies

#endif  // STR_STRATEGIES_TIERS_H_
