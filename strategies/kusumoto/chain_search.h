// Kusumoto's dynamic programs: of all chains {} = L0 < L1 < ... < Lk = everything of a family of lower sets, the one
// that keeps the most time or the fewest bytes within a budget.
//
// After its first run, segment Li - L(i-1) keeps only the values that others outside Li take. In the backward pass the
// rest of it is made again. While segment i is differentiated, there are
//   what segments 1 .. i-1 keep,
//   twice the segment's bytes: its values and their gradients,
//   gradients of the values that take something of Li, and the values besides Li that those take.
// This must not exceed the budget; it is the paper's bound, which the judge's peak stays below as a rule.
#ifndef STR_STRATEGIES_KUSUMOTO_CHAIN_SEARCH_H_
#define STR_STRATEGIES_KUSUMOTO_CHAIN_SEARCH_H_

#include <cstdint>
#include <functional>
#include <vector>

#include "strategies/kusumoto/lower_sets.h"
#include "strategies/kusumoto/value_graph.h"

namespace str::strategies::kusumoto {

enum class Objective {
  // Keeps as much time as it can: least is made again.
  kTime,
  // Keeps as few bytes as it can: more is made again, and less is in memory.
  kMemory,
};

class ChainSearch {
 public:
  // Both must outlive this. `stop`, asked now and then, ends searches early.
  ChainSearch(const ValueGraph* graph, const LowerSets* sets, std::function<bool()> stop);

  // Indices of L1 .. Lk. Empty: there is none within the budget, or it was stopped.
  std::vector<int> Find(int64_t budget_bytes, Objective objective) const;

  // The time that a chain keeps.
  int64_t KeptTime(const std::vector<int>& chain) const;

  // Up to a ten-thousandth above the smallest budget at which there is a chain; 0: stopped.
  int64_t SmallestBudget() const;

  // Chen et al.'s rule as Kusumoto et al. state it: of the sets that keep a single value, about the square root of
  // their number, at equal distances by bytes. Needs no budget.
  std::vector<int> ChenChain() const;

 private:
  struct Boundary {
    int value;
    int64_t bytes;
    int64_t time;
  };
  struct Step {
    int64_t kept_bytes = 0;
    int64_t kept_time = 0;
  };

  // What going from set `from` to set `to` keeps.
  Step Between(int from, int to) const;
  int64_t SegmentBytes(int from, int to) const { return 2 * (bytes_[to] - bytes_[from]) + after_bytes_[to]; }
  // Of the chains that lose at most so much of the time.
  std::vector<int> FindMostTime(int64_t budget_bytes, int64_t may_lose) const;
  std::vector<int> FindFewestBytes(int64_t budget_bytes) const;

  const ValueGraph& graph_;
  const LowerSets& sets_;
  const std::function<bool()> stop_;
  // By set: bytes of its values; of the gradients and values that its backward pass needs besides; time of its values,
  // and of those that others take.
  std::vector<int64_t> bytes_, after_bytes_, time_, boundary_time_;
  // By set, from first_boundary_[set] on: its values that others take.
  std::vector<Boundary> boundary_;
  std::vector<int> first_boundary_;
};

}  // namespace str::strategies::kusumoto

#endif  // STR_STRATEGIES_KUSUMOTO_CHAIN_SEARCH_H_
