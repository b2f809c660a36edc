// From a chain of lower sets to a program: what is run, and run again, when.
//
// Forward, the segments run one after the other. Backward, from the last segment to the first, those of its values that
// were not kept are made again (of the last, all are still there), and then whatever can run now of the backward pass
// runs. Values that nobody needs are not made again.
#ifndef STR_STRATEGIES_KUSUMOTO_CHAIN_PROGRAM_H_
#define STR_STRATEGIES_KUSUMOTO_CHAIN_PROGRAM_H_

#include <vector>

#include "optimizer/simulator/program.h"
#include "strategies/kusumoto/forward_part.h"
#include "strategies/kusumoto/lower_sets.h"

namespace str::strategies::kusumoto {

optimizer::Program ChainProgram(const optimizer::Graph& graph, const ForwardPart& part, const LowerSets& sets,
                                const std::vector<int>& chain);

}  // namespace str::strategies::kusumoto

#endif  // STR_STRATEGIES_KUSUMOTO_CHAIN_PROGRAM_H_
