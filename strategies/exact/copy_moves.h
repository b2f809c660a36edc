// When to copy: moves the copies of a program to other places in it, one by one and two at a time, as long as that
// makes it faster within the budget.
#ifndef STR_STRATEGIES_EXACT_COPY_MOVES_H_
#define STR_STRATEGIES_EXACT_COPY_MOVES_H_

#include "optimizer/simulator/program.h"
#include "strategies/planner.h"

namespace str::strategies {

// Larger programs are returned as they are: every place is tried for every copy.
inline constexpr size_t kMostPlaces = 400;

// `program` need not fit. If a move makes it fit, its buffers can be placed where they must be.
optimizer::Program MoveCopies(const PlanRequest& request, optimizer::Program program, const Limit& limit);

}  // namespace str::strategies

#endif  // STR_STRATEGIES_EXACT_COPY_MOVES_H_
