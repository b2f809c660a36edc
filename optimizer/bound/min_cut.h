// The single-cut bound (single_cut.h) for plans that copy nothing, without a linear program: memory gets a price, and
// for each price what is best is a minimum cut in a flow network. All in integers; the best price gives the minimum of
// the relaxed model. It is a second implementation on purpose: tests hold the two against each other.
#ifndef STR_OPTIMIZER_BOUND_MIN_CUT_H_
#define STR_OPTIMIZER_BOUND_MIN_CUT_H_

#include "optimizer/bound/cut_problem.h"
#include "optimizer/bound/cut_view.h"

namespace str::optimizer {

// At most the time of any plan without copies that fits the view's budget; at least the nodes' own time.
double MinCutSeconds(const CutProblem& problem, const CutView& view);

}  // namespace str::optimizer

#endif  // STR_OPTIMIZER_BOUND_MIN_CUT_H_
