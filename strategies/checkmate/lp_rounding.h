// Checkmate's approximation: the linear relaxation of its integer model, solved for nine tenths of the budget, and what
// it holds rounded to 0 or 1. What is computed follows; whether it fits is for the judge to say.
#ifndef STR_STRATEGIES_CHECKMATE_LP_ROUNDING_H_
#define STR_STRATEGIES_CHECKMATE_LP_ROUNDING_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "optimizer/ilp/solver.h"
#include "strategies/staged/schedule.h"
#include "strategies/staged/staged_graph.h"

namespace str::strategies {

// Square, by stage and position: how much of a value is held.
class HeldShares {
 public:
  explicit HeldShares(int size) : size_(size), shares_(static_cast<size_t>(size) * size, 0) {}

  double operator()(int stage, int position) const { return shares_[Index(stage, position)]; }
  void Set(int stage, int position, double share) { shares_[Index(stage, position)] = share; }

  // 1 where the share is at least `threshold`.
  StageMatrix AtLeast(double threshold) const;
  // Each 1 with a probability of its share, independently. Equal seeds give equal draws.
  StageMatrix Draw(uint64_t seed) const;

 private:
  size_t Index(int stage, int position) const { return static_cast<size_t>(stage) * size_ + position; }

  int size_;
  std::vector<double> shares_;
};

// A threshold drawn from the normal distribution of mean 0.5 and standard deviation 0.5, cut to [0, 1]. Equal seeds
// give equal thresholds.
double DrawThreshold(uint64_t seed);

struct Relaxation {
  // kOptimal has the rest.
  optimizer::SolveStatus status = optimizer::SolveStatus::kNone;
  // No schedule that fits takes less time by Checkmate's model.
  double seconds = 0;
  HeldShares held = HeldShares(0);
};

// For a share of so many bytes of values: 0.9 leaves room for rounding.
absl::StatusOr<Relaxation> SolveRelaxation(const StagedGraph& staged, int64_t budget_bytes, double share,
                                           const optimizer::Solver& solver, optimizer::SolveOptions options);

}  // namespace str::strategies

#endif  // STR_STRATEGIES_CHECKMATE_LP_ROUNDING_H_
