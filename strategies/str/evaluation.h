// Decisions, and what they amount to under a budget: what searches compare.
#ifndef STR_STRATEGIES_STR_EVALUATION_H_
#define STR_STRATEGIES_STR_EVALUATION_H_

#include <cstdint>
#include <vector>

#include "strategies/str/problem.h"

namespace str::strategies {

// How a search may drop storages.
enum class Means { kAll, kSwap, kRecompute };

// One mode per unit of the problem.
using Decisions = std::vector<Mode>;

struct Evaluation {
  // False: the decisions cannot be carried out sensibly.
  bool valid = false;
  // Of the tight program: its peak, and how far it is above the budget: summed over time, and at most.
  int64_t tight_peak_bytes = 0;
  double excess = 0;
  int64_t most_excess_bytes = 0;
  // Of the program chosen: the relaxed one if it keeps the budget, else the tight one.
  int64_t peak_bytes = 0;
  int64_t host_peak_bytes = 0;
  double seconds = 0;
  // Copies both ways, whether or not anything waits for them.
  double copy_seconds = 0;

  // What searches minimise: of plans equally fast, the one that copies less.
  double Cost() const { return seconds + 1e-5 * copy_seconds; }
};

}  // namespace str::strategies

#endif  // STR_STRATEGIES_STR_EVALUATION_H_
