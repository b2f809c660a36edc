// The fastest program without copies for a small graph, by Dijkstra's algorithm over all states of the machine: which
// node runs first next, and what is on the device.
#ifndef STR_STRATEGIES_EXACT_STATE_SEARCH_H_
#define STR_STRATEGIES_EXACT_STATE_SEARCH_H_

#include <cstdint>
#include <vector>

#include "optimizer/bound/cut_problem.h"
#include "optimizer/graph/graph.h"
#include "optimizer/simulator/program.h"
#include "strategies/planner.h"

namespace str::strategies {

// More storages or positions than this are too many states.
inline constexpr size_t kMostStorages = 14;
inline constexpr int kMostPositions = 64;

// `problem` is that of `order`. Empty if no program fits, the limit was reached, or there are too many states. It
// counts memory as the problem does, which may be less than is needed: ask the judge.
optimizer::Program FastestWithoutCopies(const optimizer::CutProblem& problem,
                                        const std::vector<optimizer::NodeId>& order, int64_t budget_bytes,
                                        const Limit& limit);

}  // namespace str::strategies

#endif  // STR_STRATEGIES_EXACT_STATE_SEARCH_H_
