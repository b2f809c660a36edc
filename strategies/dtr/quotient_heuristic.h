// The common form of DTR's heuristics: a cost of losing the storage, divided by its bytes, its staleness, both or none.
// A storage without bytes is never worth evicting where bytes count, one just used never where staleness does.
#ifndef STR_STRATEGIES_DTR_QUOTIENT_HEURISTIC_H_
#define STR_STRATEGIES_DTR_QUOTIENT_HEURISTIC_H_

#include <limits>
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "strategies/dtr/heuristic.h"

namespace str::dtr {

struct Divisors {
  bool bytes = true;
  bool staleness = true;
};

class QuotientHeuristic : public Heuristic {
 public:
  QuotientHeuristic(const State* state, Divisors divisors) : state_(*state), divisors_(divisors) {}

  double Score(int32_t storage, double least) final {
    double divisor = 1;
    if (divisors_.bytes) divisor *= static_cast<double>(state_.storage(storage).bytes);
    if (divisors_.staleness) divisor *= static_cast<double>(state_.Staleness(storage));
    if (divisor == 0) return std::numeric_limits<double>::infinity();
    // A little more than what rounding could turn into `least`.
    const double enough = least * divisor * (1 + 1e-12) + 1;
    return static_cast<double>(Cost(storage, enough < kMostCost ? static_cast<int64_t>(enough) : kMostCost)) / divisor;
  }

 protected:
  // Exact, unless it is above `enough`: then anything above that, but not above the exact cost.
  virtual int64_t Cost(int32_t storage, int64_t enough) = 0;
  const State& state() const { return state_; }

 private:
  static constexpr int64_t kMostCost = std::numeric_limits<int64_t>::max();

  const State& state_;
  const Divisors divisors_;
};

template <typename T>
HeuristicFactory QuotientFactory(Divisors divisors) {
  return [divisors](const State* state, uint64_t seed) { return std::make_unique<T>(state, divisors); };
}

// The four members of the ablation grid with this cost: NAME, NAME+size, NAME+size+stale, NAME+stale.
template <typename T>
class AblationRegistration {
 public:
  AblationRegistration(absl::string_view name, absl::string_view cost) {
    for (const bool bytes : {false, true}) {
      for (const bool staleness : {false, true}) {
        HeuristicRegistration(
            absl::StrCat(name, bytes ? "+size" : "", staleness ? "+stale" : ""),
            absl::StrCat("ablation: ", cost, bytes ? ", by bytes" : "", staleness ? ", by staleness" : ""),
            QuotientFactory<T>({bytes, staleness}));
      }
    }
  }
};

}  // namespace str::dtr

#endif  // STR_STRATEGIES_DTR_QUOTIENT_HEURISTIC_H_
