#include "optimizer/bound/usefulness.h"

#include <algorithm>

namespace str::optimizer {

Usefulness::Usefulness(const CutProblem& problem, int end)
    : last_use(problem.storages().size(), 0), last_rerun(problem.positions(), 0) {
  std::vector<std::vector<int>> made(problem.positions());
  for (size_t id = 0; id < last_use.size(); ++id) made[problem.storages()[id].producer].push_back(static_cast<int>(id));
  for (int position = problem.positions() - 1; position >= 0; --position) {
    for (const int id : made[position]) {
      const CutStorage& storage = problem.storages()[id];
      for (const int use : storage.uses) {
        if (use < end) last_use[id] = std::max({last_use[id], use, last_rerun[use]});
      }
      if (!problem.node(position).may_rerun) continue;
      // Once held from outside it is there.
      last_rerun[position] = std::max(last_rerun[position], std::min(last_use[id], storage.held_after));
    }
  }
}

namespace {

bool Takes(const CutNode& node, int id) {
  return std::find(node.inputs.begin(), node.inputs.end(), id) != node.inputs.end();
}

// With everything that can be of use while the op at the position first runs.
int64_t RunBytes(const CutProblem& problem, const Usefulness& usefulness, int position) {
  int64_t bytes = problem.WorkingSet(position);
  for (size_t id = 0; id < problem.storages().size(); ++id) {
    const CutStorage& storage = problem.storages()[id];
    const bool there = usefulness.last_use[id] > position || storage.held_after < position;
    if (storage.producer < position && there && !Takes(problem.node(position), static_cast<int>(id))) {
      bytes += storage.rounded_bytes;
    }
  }
  return bytes;
}

// The same during the most demanding rerun before it.
int64_t RerunBytes(const CutProblem& problem, const Usefulness& usefulness, int position) {
  int64_t bytes = problem.node(position).constant_bytes;
  std::vector<int64_t> own(position);
  for (int node = 0; node < position; ++node) own[node] = problem.node(node).own_bytes;
  for (size_t id = 0; id < problem.storages().size(); ++id) {
    const CutStorage& storage = problem.storages()[id];
    const bool there = usefulness.last_use[id] >= position || storage.held_after < position;
    if (storage.producer >= position || !there) continue;
    bytes += storage.rounded_bytes;
    own[storage.producer] -= storage.rounded_bytes;
  }
  int64_t most = 0;
  for (int node = 0; node < position; ++node) {
    if (usefulness.last_rerun[node] >= position) most = std::max(most, own[node]);
  }
  return bytes + most;
}

}  // namespace

Window FindWindow(const CutProblem& problem, const Usefulness& usefulness, int64_t budget_bytes, bool with_reruns) {
  Window window;
  for (int position = 0; position < problem.positions(); ++position) {
    const bool fits = RunBytes(problem, usefulness, position) <= budget_bytes &&
                      (!with_reruns || RerunBytes(problem, usefulness, position) <= budget_bytes);
    if (fits) continue;
    if (window.empty()) window.first = position;
    window.last = position;
  }
  return window;
}

}  // namespace str::optimizer
