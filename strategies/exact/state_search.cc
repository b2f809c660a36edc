#include "strategies/exact/state_search.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <queue>
#include <utility>

namespace str::strategies {
namespace {

using optimizer::Action;
using optimizer::CutNode;
using optimizer::kNone;

// A state is a number: the position of the next first run above, a bit per storage that is there below.
class StateSearch {
 public:
  StateSearch(const optimizer::CutProblem& problem, int64_t budget_bytes)
      : problem_(problem),
        budget_bytes_(budget_bytes),
        storages_(static_cast<int>(problem.storages().size())),
        inputs_(problem.positions(), 0),
        outputs_(problem.positions(), 0) {
    for (int position = 0; position < problem.positions(); ++position) {
      for (const int id : problem.node(position).inputs) inputs_[position] |= 1 << id;
    }
    for (int id = 0; id < storages_; ++id) outputs_[problem.storages()[id].producer] |= 1 << id;
    reached_.resize(static_cast<size_t>(problem.positions() + 1) << storages_);
  }

  // The positions of the nodes that the fastest program runs, one after the other.
  std::vector<int> Run(const Limit& limit) {
    Reach(0, 0, kNone, kNone);
    while (!queue_.empty() && !limit.Reached()) {
      const auto [seconds, state] = queue_.top();
      queue_.pop();
      if (seconds > reached_[state].seconds) continue;
      if (state >> storages_ == problem_.positions()) return PathTo(state);
      Leave(state, seconds);
    }
    return {};
  }

 private:
  struct Reached {
    double seconds = std::numeric_limits<double>::infinity();
    int before = kNone;
    // The node that was run; kNone: something was dropped.
    int node = kNone;
  };

  void Reach(int state, double seconds, int before, int node) {
    if (seconds >= reached_[state].seconds) return;
    reached_[state] = {seconds, before, node};
    queue_.push({seconds, state});
  }

  void Leave(int state, double seconds) {
    const int done = state >> storages_, there = state & ((1 << storages_) - 1);
    int64_t bytes = 0;
    for (int id = 0; id < storages_; ++id) {
      if ((there >> id & 1) == 0) continue;
      bytes += problem_.storages()[id].rounded_bytes;
      if (problem_.storages()[id].held_after >= done) Reach(state & ~(1 << id), seconds, state, kNone);
    }
    for (int position = 0; position <= done; ++position) {
      const CutNode& node = problem_.node(position);
      const bool again = position < done;
      if (again && (!node.may_rerun || (outputs_[position] & ~there) == 0)) continue;
      if ((inputs_[position] & ~there) != 0) continue;
      if (problem_.node(done).constant_bytes + bytes + node.own_bytes > budget_bytes_) continue;
      const int next = ((again ? done : done + 1) << storages_) | there | outputs_[position];
      Reach(next, seconds + node.seconds, state, position);
    }
  }

  std::vector<int> PathTo(int state) const {
    std::vector<int> nodes;
    for (; state != kNone; state = reached_[state].before) {
      if (reached_[state].node != kNone) nodes.push_back(reached_[state].node);
    }
    std::reverse(nodes.begin(), nodes.end());
    return nodes;
  }

  const optimizer::CutProblem& problem_;
  const int64_t budget_bytes_;
  const int storages_;
  // By position, a bit per storage.
  std::vector<int> inputs_, outputs_;
  std::vector<Reached> reached_;
  using Entry = std::pair<double, int>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<Entry>> queue_;
};

}  // namespace

optimizer::Program FastestWithoutCopies(const optimizer::CutProblem& problem,
                                        const std::vector<optimizer::NodeId>& order, int64_t budget_bytes,
                                        const Limit& limit) {
  optimizer::Program program;
  if (problem.storages().size() > kMostStorages || problem.positions() > kMostPositions) return program;
  int done = 0;
  for (const int position : StateSearch(problem, budget_bytes).Run(limit)) {
    program.push_back({position == done ? Action::kRun : Action::kRerun, order[position]});
    done += position == done;
  }
  return program;
}

}  // namespace str::strategies
