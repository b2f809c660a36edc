// A program whose swapped tensors do not fit the host: which of them go to the disk instead.
//
// Where a copy lies changes nothing about device memory, only about time: a program that fits its budget still does.
#ifndef STR_STRATEGIES_DISK_MOVES_H_
#define STR_STRATEGIES_DISK_MOVES_H_

#include "absl/status/statusor.h"
#include "optimizer/simulator/program.h"
#include "strategies/planner.h"

namespace str::strategies {

// Sends swaps to the disk until the host limit of `request` holds: where the host is fullest, first those that make the
// step longer by least, by the judge's engine. Then takes back what the host has room for after all. False if the
// disk's limit does not allow it; then `program` is as it was.
absl::StatusOr<bool> MoveToDisk(const PlanRequest& request, const Limit& limit, optimizer::Program* program);

}  // namespace str::strategies

#endif  // STR_STRATEGIES_DISK_MOVES_H_
