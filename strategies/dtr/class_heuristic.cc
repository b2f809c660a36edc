// h_DTR_eq: what was evicted around a storage, by classes of neighbours that are joined but never split.
#include <algorithm>
#include <memory>
#include <vector>

#include "strategies/dtr/quotient_heuristic.h"

namespace str::dtr {
namespace {

class ClassHeuristic : public QuotientHeuristic {
 public:
  ClassHeuristic(const State* state, Divisors divisors)
      : QuotientHeuristic(state, divisors), node_(state->storage_count(), kNone) {}

  void Evicted(int32_t storage) override {
    int32_t root = static_cast<int32_t>(leader_.size());
    leader_.push_back(root);
    cost_.push_back(state().storage(storage).cost);
    node_[storage] = root;
    for (const absl::Span<const int32_t> near : {state().parents(storage), state().children(storage)}) {
      for (const int32_t other : near) {
        if (node_[other] != kNone) root = Join(root, Find(node_[other]));
      }
    }
  }

  void Returned(int32_t storage) override {
    cost_[Find(node_[storage])] -= state().storage(storage).cost;
    node_[storage] = kNone;
  }

 protected:
  int64_t Cost(int32_t storage, int64_t enough) override {
    classes_.clear();
    int64_t cost = state().storage(storage).cost;
    for (const absl::Span<const int32_t> near : {state().parents(storage), state().children(storage)}) {
      for (const int32_t other : near) {
        if (node_[other] == kNone) continue;
        const int32_t root = Find(node_[other]);
        if (std::find(classes_.begin(), classes_.end(), root) != classes_.end()) continue;
        classes_.push_back(root);
        cost += cost_[root];
      }
    }
    return cost;
  }

 private:
  int32_t Find(int32_t node) {
    while (leader_[node] != node) {
      leader_[node] = leader_[leader_[node]];
      node = leader_[node];
    }
    return node;
  }

  int32_t Join(int32_t a, int32_t b) {
    if (a == b) return a;
    leader_[b] = a;
    cost_[a] += cost_[b];
    return a;
  }

  // Per storage its node while it is evicted. Every eviction makes a new one.
  std::vector<int32_t> node_;
  // Per node; a node that leads itself has the cost of its class.
  std::vector<int32_t> leader_;
  std::vector<int64_t> cost_;
  std::vector<int32_t> classes_;
};

const HeuristicRegistration kClasses("h_DTR_eq",
                                     "own cost and that of the evicted classes around it, by bytes and staleness",
                                     QuotientFactory<ClassHeuristic>({true, true}));
const AblationRegistration<ClassHeuristic> kGrid("eq", "own cost and that of the evicted classes around it");

}  // namespace
}  // namespace str::dtr
