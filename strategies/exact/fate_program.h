// From what a solution of the per-op model does with storages to a program that does the same.
#ifndef STR_STRATEGIES_EXACT_FATE_PROGRAM_H_
#define STR_STRATEGIES_EXACT_FATE_PROGRAM_H_

#include <vector>

#include "optimizer/bound/leanmix_model.h"
#include "optimizer/graph/graph.h"
#include "optimizer/simulator/program.h"

namespace str::strategies {

// In which order a slot's reruns are, of which the model says nothing: as their first runs, or first what the slot's op
// takes, or those of the latest nodes first; what a rerun takes always comes before it.
enum class SlotOrder { kFirstRuns, kOpFirst, kLatestFirst };

// `order` is the model's; positions after `last` are those after its window. The model counts less than it may need, so
// the program may be above the budget or slower than the solution's objective: ask the judge.
optimizer::Program MakeProgram(const optimizer::Graph& graph, const std::vector<optimizer::NodeId>& order,
                               const std::vector<optimizer::LeanMixFate>& fates, int last, SlotOrder slot_order);

}  // namespace str::strategies

#endif  // STR_STRATEGIES_EXACT_FATE_PROGRAM_H_
