// Heuristics that look at the storage alone.
#include <memory>
#include <random>

#include "strategies/dtr/quotient_heuristic.h"

namespace str::dtr {
namespace {

class LocalHeuristic : public QuotientHeuristic {
 public:
  using QuotientHeuristic::QuotientHeuristic;

 protected:
  int64_t Cost(int32_t storage, int64_t enough) override { return state().storage(storage).cost; }
};

class CostlessHeuristic : public QuotientHeuristic {
 public:
  using QuotientHeuristic::QuotientHeuristic;

 protected:
  int64_t Cost(int32_t storage, int64_t enough) override { return 1; }
};

class LruHeuristic : public Heuristic {
 public:
  explicit LruHeuristic(const State* state) : state_(*state) {}
  double Score(int32_t storage, double least) override {
    return static_cast<double>(state_.storage(storage).last_access);
  }

 private:
  const State& state_;
};

class RandomHeuristic : public Heuristic {
 public:
  explicit RandomHeuristic(uint64_t seed) : generator_(seed) {}
  // Uniform in (0, 1]: an exact 0 would end the scan.
  double Score(int32_t storage, double least) override {
    return static_cast<double>((generator_() >> 11) + 1) * 0x1p-53;
  }

 private:
  std::mt19937_64 generator_;
};

const HeuristicRegistration kLocal("h_DTR_local", "own cost, by bytes and staleness",
                                   QuotientFactory<LocalHeuristic>({true, true}));
const HeuristicRegistration kSize("h_size", "largest first", QuotientFactory<CostlessHeuristic>({true, false}));
const HeuristicRegistration kLru("h_LRU", "least recently used first", [](const State* state, uint64_t seed) {
  return std::make_unique<LruHeuristic>(state);
});
const HeuristicRegistration kRandom("h_rand", "any", [](const State* state, uint64_t seed) {
  return std::make_unique<RandomHeuristic>(seed);
});
const AblationRegistration<LocalHeuristic> kLocalGrid("local", "own cost");
const AblationRegistration<CostlessHeuristic> kNoneGrid("none", "no cost");

}  // namespace
}  // namespace str::dtr
