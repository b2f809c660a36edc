// Heuristics that count what was evicted around a storage: it would have to be made again together with it (ancestors),
// or needs it to be made again (descendants).
#include <algorithm>
#include <limits>
#include <memory>
#include <vector>

#include "strategies/dtr/evicted_reach.h"
#include "strategies/dtr/quotient_heuristic.h"

namespace str::dtr {
namespace {

class NeighborhoodHeuristic : public QuotientHeuristic {
 public:
  NeighborhoodHeuristic(const State* state, Divisors divisors)
      : QuotientHeuristic(state, divisors),
        ancestors_(state, EvictedReach::kAncestors),
        descendants_(state, EvictedReach::kDescendants) {}

  void Evicted(int32_t storage) override {
    ancestors_.Evicted(storage);
    descendants_.Evicted(storage);
  }
  void Returned(int32_t storage) override {
    ancestors_.Returned(storage);
    descendants_.Returned(storage);
  }

 protected:
  int64_t Cost(int32_t storage, int64_t enough) override {
    int64_t cost = state().storage(storage).cost;
    if (cost <= enough) cost += ancestors_.Sum(storage, enough - cost);
    if (cost <= enough) cost += descendants_.Sum(storage, enough - cost);
    return cost;
  }

 private:
  EvictedReach ancestors_, descendants_;
};

class AncestorsHeuristic : public QuotientHeuristic {
 public:
  AncestorsHeuristic(const State* state, Divisors divisors)
      : QuotientHeuristic(state, divisors), ancestors_(state, EvictedReach::kAncestors) {}

  void Evicted(int32_t storage) override { ancestors_.Evicted(storage); }
  void Returned(int32_t storage) override { ancestors_.Returned(storage); }

 protected:
  int64_t Cost(int32_t storage, int64_t enough) override {
    const int64_t cost = state().storage(storage).cost;
    return cost <= enough ? cost + ancestors_.Sum(storage, enough - cost) : cost;
  }

 private:
  EvictedReach ancestors_;
};

// As first published: the neighbourhood is searched at every score, and as stale as its most recent access.
class SearchingHeuristic : public Heuristic {
 public:
  explicit SearchingHeuristic(const State* state) : state_(*state), visited_(state->storage_count(), 0) {}

  double Score(int32_t storage, double least) override {
    cost_ = state_.storage(storage).cost;
    last_access_ = state_.storage(storage).last_access;
    ++visit_;
    Search(storage, [this](int32_t id) { return state_.parents(id); });
    Search(storage, [this](int32_t id) { return state_.children(id); });
    const double divisor = static_cast<double>(state_.storage(storage).bytes) * (state_.clock() - last_access_);
    if (divisor == 0) return std::numeric_limits<double>::infinity();
    return static_cast<double>(cost_) / divisor;
  }

 private:
  template <typename Neighbors>
  void Search(int32_t storage, Neighbors neighbors) {
    stack_.assign(1, storage);
    while (!stack_.empty()) {
      const int32_t next = stack_.back();
      stack_.pop_back();
      for (const int32_t near : neighbors(next)) {
        if (visited_[near] == visit_ || !state_.storage(near).evicted) continue;
        visited_[near] = visit_;
        cost_ += state_.storage(near).cost;
        last_access_ = std::max(last_access_, state_.storage(near).last_access);
        stack_.push_back(near);
      }
    }
  }

  const State& state_;
  std::vector<int32_t> visited_;
  std::vector<int32_t> stack_;
  int32_t visit_ = 0;
  int64_t cost_ = 0;
  int64_t last_access_ = 0;
};

const HeuristicRegistration kDtr("h_DTR", "own cost and that of what was evicted around it, by bytes and staleness",
                                 QuotientFactory<NeighborhoodHeuristic>({true, true}));
const HeuristicRegistration kMsps("h_MSPS", "own cost and that of evicted ancestors, by bytes",
                                  QuotientFactory<AncestorsHeuristic>({true, false}));
const HeuristicRegistration kSearching("h_DTR_unopt",
                                       "h_DTR by search at every score, as stale as the neighbourhood's latest access",
                                       [](const State* state, uint64_t seed) {
                                         return std::make_unique<SearchingHeuristic>(state);
                                       });
const AblationRegistration<NeighborhoodHeuristic> kGrid("e*", "own cost and that of what was evicted around it");

}  // namespace
}  // namespace str::dtr
