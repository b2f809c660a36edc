// The single-cut model: what the best plan must do about the memory of one op, written as a linear model. Its minimum
// is at most the time of any plan that fits the budget, takes less than kLongest times the nodes' own time, and has the
// problem's order, if that is what the view of the cut is about. docs/certificate.md has the model and why that is so.
#ifndef STR_OPTIMIZER_BOUND_SINGLE_CUT_H_
#define STR_OPTIMIZER_BOUND_SINGLE_CUT_H_

#include <optional>
#include <vector>

#include "optimizer/bound/cut_problem.h"
#include "optimizer/bound/cut_view.h"
#include "optimizer/ilp/linear_model.h"

namespace str::optimizer {

inline constexpr double kLongest = 5;
// The nodes' own time in the model's unit.
inline constexpr double kModelTime = 100;

// The model, and which column says what; kNone where there is none.
struct SingleCut {
  LinearModel model;
  // By storage: on the device during the cut; fetched after it.
  std::vector<int> resident, fetched;
  // By position: run again after the cut.
  std::vector<int> rerun;
  // At most this much of the objective is a price on copies, which keeps needless ones out of solutions. Take it off
  // before the minimum is used as a bound.
  double copy_price = 0;
};

// Its objective is the time of the step, kModelTime standing for total_seconds(). `copies`: whether plans may copy
// tensors to the host and back, which needs costs with copy rates. Nothing if even what must be there does not fit:
// then the view is of no plan.
std::optional<SingleCut> SingleCutModel(const CutProblem& problem, const CutView& view, bool copies);

}  // namespace str::optimizer

#endif  // STR_OPTIMIZER_BOUND_SINGLE_CUT_H_
