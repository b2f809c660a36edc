// One op, the cut, as bounds look at it while it runs for the first time: what was certainly made before it and is used
// after it, and how much time there is to copy that out and in. Either in the problem's order, or in every order that
// the graph's edges allow. docs/certificate.md says why both give bounds.
#ifndef STR_OPTIMIZER_BOUND_CUT_VIEW_H_
#define STR_OPTIMIZER_BOUND_CUT_VIEW_H_

#include <cstdint>
#include <vector>

#include "optimizer/bound/cut_problem.h"
#include "optimizer/bound/reach.h"

namespace str::optimizer {

struct CutView {
  // Of the cut's op.
  int position = 0;
  int64_t budget_bytes = 0;
  // Left for what is carried past the op: the budget less all that is certainly there. Negative: no plan fits.
  int64_t free_bytes = 0;
  // By storage: on the device while the op runs, whatever is planned.
  std::vector<char> is_there;
  // By storage: made before the cut, used after it and not certainly there.
  std::vector<char> is_needed;
  // By storage that was made before the cut, in seconds without any extra time: from when it is made at the earliest to
  // the cut; from the cut to the first use after it at the latest, or to the end if there is none.
  std::vector<double> seconds_to_cut, seconds_from_cut;

  // What is needed after the cut, and what it takes to make that again.
  std::vector<int> Wanted(const CutProblem& problem) const;
};

CutView InOrderView(const CutProblem& problem, int position, int64_t budget_bytes);

// `reach` is of the problem's order.
CutView AnyOrderView(const CutProblem& problem, const Reach& reach, int position, int64_t budget_bytes);

}  // namespace str::optimizer

#endif  // STR_OPTIMIZER_BOUND_CUT_VIEW_H_
