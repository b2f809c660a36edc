#include "optimizer/bound/usefulness.h"

#include <algorithm>

namespace str::optimizer {

Usefulness::Usefulness(const CutProblem& problem)
    : last_use(problem.storages().size(), 0), last_rerun(problem.positions(), 0) {
  std::vector<std::vector<int>> made(problem.positions());
  for (size_t id = 0; id < last_use.size(); ++id) made[problem.storages()[id].producer].push_back(static_cast<int>(id));
  for (int position = problem.positions() - 1; position >= 0; --position) {
    for (const int id : made[position]) {
      const CutStorage& storage = problem.storages()[id];
      for (const int use : storage.uses) last_use[id] = std::max({last_use[id], use, last_rerun[use]});
      if (!problem.node(position).may_rerun) continue;
      // Once held from outside it is there.
      last_rerun[position] = std::max(last_rerun[position], std::min(last_use[id], storage.held_after));
    }
  }
}

Window FindWindow(const CutProblem& problem, const Usefulness& usefulness, int64_t budget_bytes) {
  Window window;
  for (int position = 0; position < problem.positions(); ++position) {
    int64_t bytes = problem.WorkingSet(position);
    const std::vector<int>& inputs = problem.node(position).inputs;
    for (size_t id = 0; id < problem.storages().size(); ++id) {
      const CutStorage& storage = problem.storages()[id];
      const bool there = usefulness.last_use[id] > position || storage.held_after < position;
      if (storage.producer >= position || !there) continue;
      if (std::find(inputs.begin(), inputs.end(), static_cast<int>(id)) == inputs.end()) bytes += storage.rounded_bytes;
    }
    if (bytes <= budget_bytes) continue;
    if (window.empty()) window.first = position;
    window.last = position;
  }
  return window;
}

}  // namespace str::optimizer
