#include "strategies/exact/copy_moves.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "optimizer/simulator/simulator.h"
#include "strategies/needs.h"

namespace str::strategies {
namespace {

using optimizer::Program;

// Smaller gains are floating point.
constexpr double kSmallestGain = 1e-9;
// For two at a time.
constexpr size_t kMostPlacesOfPairs = 150;

struct Cost {
  // Above the budget, or on the host above its limit.
  int64_t excess_bytes = 0;
  double seconds = 0;

  bool IsBelow(const Cost& other) const {
    if (excess_bytes != other.excess_bytes) return excess_bytes < other.excess_bytes;
    return seconds < other.seconds * (1 - kSmallestGain);
  }
};

class CopyMover {
 public:
  CopyMover(const PlanRequest& request, const Limit& limit)
      : request_(request), limit_(limit), simulator_(request.graph, request.costs) {}

  Program Run(Program program) {
    const std::optional<Cost> cost = Evaluate(program);
    if (!cost.has_value() || Places(program) > kMostPlaces) return program;
    best_ = std::move(program);
    cost_ = *cost;
    while (MoveOne() || MoveTwo()) {
    }
    return std::move(best_);
  }

 private:
  static size_t Places(const Program& program) {
    const auto copies = std::count_if(program.begin(), program.end(),
                                      [](const optimizer::Step& step) { return !Computes(step.action); });
    return static_cast<size_t>(copies) * program.size();
  }

  std::optional<Cost> Evaluate(const Program& program) {
    if (!simulator_.Run(program, optimizer::SimulationDetail(), &simulation_).ok()) return std::nullopt;
    Cost cost;
    cost.excess_bytes = std::max<int64_t>(0, simulation_.peak_bytes - request_.budget_bytes);
    if (request_.host_limit_bytes > 0) {
      cost.excess_bytes += std::max<int64_t>(0, simulation_.host_peak_bytes - request_.host_limit_bytes);
    }
    cost.seconds = simulation_.seconds;
    return cost;
  }

  // Calls `take` with every program that differs from `program` in the place of one copy, until it says true.
  template <typename Take>
  bool ForEachMove(const Program& program, const Take& take) {
    Program moved;
    for (size_t from = 0; from < program.size(); ++from) {
      if (Computes(program[from].action)) continue;
      for (size_t to = 0; to < program.size(); ++to) {
        if (to == from || limit_.Reached()) continue;
        moved = program;
        moved.erase(moved.begin() + static_cast<ptrdiff_t>(from));
        moved.insert(moved.begin() + static_cast<ptrdiff_t>(to), program[from]);
        if (take(moved)) return true;
      }
    }
    return false;
  }

  bool TakeIfBetter(const Program& program) {
    const std::optional<Cost> cost = Evaluate(program);
    if (!cost.has_value() || !cost->IsBelow(cost_)) return false;
    if (cost->excess_bytes == 0) {
      const absl::StatusOr<Needs> needs = FindNeeds(request_, program, request_.budget_bytes);
      if (!needs.ok() || needs->bytes > request_.budget_bytes) return false;
    }
    best_ = program;
    cost_ = *cost;
    return true;
  }

  bool MoveOne() {
    const Program start = best_;
    return ForEachMove(start, [this](const Program& moved) { return TakeIfBetter(moved); });
  }

  bool MoveTwo() {
    if (Places(best_) > kMostPlacesOfPairs) return false;
    const Program start = best_;
    return ForEachMove(start, [this](const Program& first) {
      const Program once = first;
      return ForEachMove(once, [this](const Program& moved) { return TakeIfBetter(moved); });
    });
  }

  const PlanRequest& request_;
  const Limit& limit_;
  optimizer::Simulator simulator_;
  optimizer::Simulation simulation_;
  Program best_;
  Cost cost_;
};

}  // namespace

Program MoveCopies(const PlanRequest& request, Program program, const Limit& limit) {
  return CopyMover(request, limit).Run(std::move(program));
}

}  // namespace str::strategies
