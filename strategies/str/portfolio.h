// Annealing from several starts at several temperatures: which of them does best differs from model to model.
//
// Chains run in rounds of a fixed number, spread over threads; a round is waited for as a whole. So the result depends
// on the seed only, not on the number of threads or their speed.
#ifndef STR_STRATEGIES_STR_PORTFOLIO_H_
#define STR_STRATEGIES_STR_PORTFOLIO_H_

#include <cstdint>
#include <functional>
#include <vector>

#include "strategies/planner.h"
#include "strategies/str/annealer.h"
#include "strategies/str/evaluation.h"
#include "strategies/str/lean_model.h"

namespace str::strategies {

struct PortfolioOptions {
  int64_t budget_bytes = 0;
  int64_t host_limit_bytes = 0;
  int threads = 1;
  uint64_t seed = 0;
  // Ends early at a plan of at most this many seconds.
  double good_enough_seconds = 0;
  enum class Length {
    // A first round that finds something is enough: for small corrections of a good start.
    kBrief,
    kUsual,
    // Only the rounds for gaps that stay wide: hotter and much longer.
    kLong,
  };
  Length length = Length::kUsual;
  // kLong ends at a plan of at most this many seconds.
  double wide_seconds = 0;
  // The length of chains, as a share of the usual one.
  double effort = 1;
  // Starts must use no other means.
  Means means = Means::kAll;
  // After each round, with the best so far. May be empty.
  std::function<void(const AnnealResult&)> progress;
};

// `starts` are of any quality, the most promising first; at least one. The result need not fit.
AnnealResult RunPortfolio(const LeanModel& model, const std::vector<Decisions>& starts, const PortfolioOptions& options,
                          const Limit& limit);

}  // namespace str::strategies

#endif  // STR_STRATEGIES_STR_PORTFOLIO_H_
