// Heuristics decide what DTR evicts: the storage of the least score. Each is one small class that registers itself:
//   const HeuristicRegistration kLru("h_LRU", "what was used longest ago", [](const State& s, uint64_t) { ... });
#ifndef STR_STRATEGIES_DTR_HEURISTIC_H_
#define STR_STRATEGIES_DTR_HEURISTIC_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "strategies/dtr/state.h"

namespace str::dtr {

// Of one run; not thread-safe.
class Heuristic {
 public:
  virtual ~Heuristic() = default;
  // Of a storage that is resident. Never NaN; infinite: only if nothing else is left. A score above `least` need not be
  // exact, only above it too: the storage is not the one to evict anyway.
  virtual double Score(int32_t storage, double least) = 0;
  // After the change.
  virtual void Evicted(int32_t storage) {}
  // Resident again after an eviction, or banished while evicted.
  virtual void Returned(int32_t storage) {}
};

// `state` outlives the heuristic. The seed is for those that draw numbers.
using HeuristicFactory = std::function<std::unique_ptr<Heuristic>(const State* state, uint64_t seed)>;

class HeuristicRegistration {
 public:
  // Two of one name are a bug and end the process.
  HeuristicRegistration(absl::string_view name, absl::string_view description, HeuristicFactory factory);
};

struct HeuristicEntry {
  std::string name;
  // One line for people.
  std::string description;
  HeuristicFactory factory;
};

// Sorted by name.
const std::vector<HeuristicEntry>& AllHeuristics();

// NotFound listing the names there are. The parts of an ablation may come in any order: "e*+stale+size".
absl::StatusOr<const HeuristicEntry*> FindHeuristic(absl::string_view name);

}  // namespace str::dtr

#endif  // STR_STRATEGIES_DTR_HEURISTIC_H_
