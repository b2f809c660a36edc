#include "strategies/checkmate/lp_rounding.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <utility>

#include "strategies/staged/staged_model.h"
#include "strategies/staged/staged_planning.h"

namespace str::strategies {
namespace {

// 53 random bits below 1: the same with every standard library.
double Uniform(std::mt19937_64* random) { return static_cast<double>((*random)() >> 11) * 0x1p-53; }

}  // namespace

StageMatrix HeldShares::AtLeast(double threshold) const {
  StageMatrix held(size_);
  for (int stage = 0; stage < size_; ++stage) {
    for (int i = 0; i < stage; ++i) held.Set(stage, i, (*this)(stage, i) >= threshold);
  }
  return held;
}

StageMatrix HeldShares::Draw(uint64_t seed) const {
  std::mt19937_64 random(seed);
  StageMatrix held(size_);
  for (int stage = 0; stage < size_; ++stage) {
    for (int i = 0; i < stage; ++i) held.Set(stage, i, Uniform(&random) < (*this)(stage, i));
  }
  return held;
}

double DrawThreshold(uint64_t seed) {
  std::mt19937_64 random(seed);
  // Box and Muller's way from two uniform draws to a normal one; 1 - x is never 0.
  const double radius = std::sqrt(-2 * std::log(1 - Uniform(&random)));
  const double normal = radius * std::cos(2 * M_PI * Uniform(&random));
  return std::clamp(0.5 + 0.5 * normal, 0.0, 1.0);
}

absl::StatusOr<Relaxation> SolveRelaxation(const StagedGraph& staged, int64_t budget_bytes, double share,
                                           const optimizer::Solver& solver, optimizer::SolveOptions options) {
  Relaxation relaxation;
  const auto reduced_bytes = static_cast<int64_t>(share * static_cast<double>(budget_bytes));
  const StagedModel model(&staged, std::max<int64_t>(1, reduced_bytes), nullptr, budget_bytes);
  if (!model.possible()) {
    relaxation.status = optimizer::SolveStatus::kInfeasible;
    return relaxation;
  }
  options.relax_integers = true;
  TellSeconds(model, &options);
  const absl::StatusOr<optimizer::Solution> solution = solver.Solve(model.model(), options);
  if (!solution.ok()) return solution.status();
  relaxation.status = solution->status;
  if (solution->status != optimizer::SolveStatus::kOptimal) return relaxation;
  relaxation.seconds = model.Seconds(solution->objective);
  relaxation.held = HeldShares(staged.size());
  for (int stage = 0; stage < staged.size(); ++stage) {
    for (int i = 0; i < stage; ++i) relaxation.held.Set(stage, i, model.held(stage, i).Value(solution->values));
  }
  return relaxation;
}

}  // namespace str::strategies
