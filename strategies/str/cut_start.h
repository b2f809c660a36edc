// From the solution of the single-cut model to decisions for the whole step: what it does with a storage at the cut is
// done in the gap that spans it, and everything else is kept.
#ifndef STR_STRATEGIES_STR_CUT_START_H_
#define STR_STRATEGIES_STR_CUT_START_H_

#include "optimizer/bound/step_bound.h"
#include "strategies/str/evaluation.h"
#include "strategies/str/problem.h"

namespace str::strategies {

// `plan` is for the problem's order.
Decisions StartFromCut(const Problem& problem, const optimizer::CutPlan& plan);

}  // namespace str::strategies

#endif  // STR_STRATEGIES_STR_CUT_START_H_
