// How long the storages of a problem can be of use: until their last use, or until the last rerun that could take them.
#ifndef STR_OPTIMIZER_BOUND_USEFULNESS_H_
#define STR_OPTIMIZER_BOUND_USEFULNESS_H_

#include <cstdint>
#include <vector>

#include "optimizer/bound/cut_problem.h"

namespace str::optimizer {

struct Usefulness {
  explicit Usefulness(const CutProblem& problem) : Usefulness(problem, problem.positions()) {}
  // As if the nodes at `end` and after it took nothing.
  Usefulness(const CutProblem& problem, int end);

  // By storage, a position; 0 if it is never of use.
  std::vector<int> last_use;
  // By position of a node: the last position before which its rerun can be of use; 0 if it must not run again.
  std::vector<int> last_rerun;
};

// Positions, the last one included.
struct Window {
  int first = 0;
  int last = -1;
  bool empty() const { return last < first; }
};

// The smallest window outside which everything that can be of use fits into the budget at once, while an op first runs
// or, `with_reruns`, also during any rerun before it.
Window FindWindow(const CutProblem& problem, const Usefulness& usefulness, int64_t budget_bytes, bool with_reruns);

}  // namespace str::optimizer

#endif  // STR_OPTIMIZER_BOUND_USEFULNESS_H_
