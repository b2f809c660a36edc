#include "strategies/tiers.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "optimizer/bound/step_bound.h"
#include "optimizer/simulator/simulator.h"
#include "strategies/disk_moves.h"

namespace str::strategies {
namespace {

using optimizer::Costs;
using optimizer::Program;

// Sums of the same times in another order differ in the last digits.
constexpr double kSameTime = 1 + 1e-9;
// Plans for other limits or costs than those asked for are proposals, whose time changes by more than this when they
// are made to fit: a search for the last digits would be in vain.
constexpr double kProposalGap = 0.005;
// The bound knows no limit of the host: of plans that keep to one, smaller gaps are mostly out of reach.
constexpr double kHostGap = 0.015;
// A search that it saves takes several times as long.
constexpr absl::Duration kTimeForHopeless = absl::Seconds(1);

class TierPlanner {
 public:
  TierPlanner(const Planner& planner, const PlanRequest& request, const ProgressCallback& progress,
              const std::atomic<bool>* stop)
      : planner_(planner), request_(request), progress_(progress), stop_(stop), limit_(request.time_limit, stop) {}

  absl::StatusOr<PlanResult> Plan() {
    PlanRequest free_host = request_;
    free_host.host_limit_bytes = 0;
    free_host.gap = std::max(request_.gap, kProposalGap);
    free_host.time_limit = limit_.Left() / 2;
    Say("as if the host had room for everything");
    absl::StatusOr<bool> as_fast = Consider(free_host, /*bounds=*/true);
    if (!as_fast.ok()) return as_fast.status();
    if (IsEnough() || (*as_fast && free_host.gap == request_.gap)) return Result();
    // The disk cost nothing, if it was used at all: a plan like this, once it is as good as was asked for.
    if (*as_fast) {
      PlanRequest finer = free_host;
      finer.gap = request_.gap;
      finer.time_limit = limit_.Left() / 2;
      as_fast = Consider(finer, /*bounds=*/true);
      if (!as_fast.ok()) return as_fast.status();
      if (*as_fast || IsEnough()) return Result();
    }

    const Costs slow_copies = AsSlowAsTheDisk();
    PlanRequest slow = free_host;
    slow.costs = &slow_copies;
    slow.time_limit = limit_.Left() / 2;
    Say("as if every copy were as slow as the disk's");
    as_fast = Consider(slow, /*bounds=*/false);
    if (!as_fast.ok()) return as_fast.status();

    if (IsEnough()) return Result();
    if (HostAloneIsHopeless()) return Result();
    PlanRequest host_only = request_;
    if (request_.gap == planner_.default_gap()) host_only.gap = std::max(request_.gap, kHostGap);
    host_only.time_limit = limit_.Left();
    Say("for the host alone");
    as_fast = Consider(host_only, /*bounds=*/true);
    if (!as_fast.ok()) return as_fast.status();
    return Result();
  }

 private:
  // What is proven about all plans in one order of first runs.
  struct Bound {
    std::vector<optimizer::NodeId> order;
    double seconds = 0;
  };

  void Say(absl::string_view what) const {
    if (progress_) progress_(what);
  }

  Costs AsSlowAsTheDisk() const {
    Costs costs = *request_.costs;
    costs.copy_out_bytes_per_second = std::min(costs.copy_out_bytes_per_second, costs.disk_write_bytes_per_second);
    costs.copy_in_bytes_per_second = std::min(costs.copy_in_bytes_per_second, costs.disk_read_bytes_per_second);
    costs.copy_latency_seconds += costs.disk_latency_seconds;
    return costs;
  }

  // 0 if nothing is proven about its order.
  double BoundOfBest() const {
    const std::vector<optimizer::NodeId> order = optimizer::FirstRuns(best_.program);
    double seconds = 0;
    for (const Bound& bound : bounds_) {
      if (bound.order == order) seconds = std::max(seconds, bound.seconds);
    }
    return seconds;
  }

  bool IsEnough() const { return !best_.program.empty() && best_seconds_ <= BoundOfBest() * (1 + request_.gap); }

  // Whether no plan for the host alone is faster than the best so far, in its order: what the host can hold is at most
  // as good as that much more device memory, in which nothing need be copied. (But for rounding: the host holds tensors
  // as they are, the device rounds each up.) Only saves time: where nothing can be proven there is hope.
  bool HostAloneIsHopeless() const {
    if (best_.program.empty()) return false;
    optimizer::StepBoundOptions options;
    options.budget_bytes = request_.budget_bytes + request_.host_limit_bytes;
    options.copies = false;
    options.time_limit = std::min(kTimeForHopeless, limit_.Left());
    options.threads = request_.threads;
    options.stop = stop_;
    const absl::StatusOr<optimizer::StepBound> bound =
        optimizer::FindStepBound(*request_.graph, *request_.costs, optimizer::FirstRuns(best_.program), options);
    return bound.ok() && bound->seconds >= best_seconds_;
  }

  absl::StatusOr<double> Seconds(const Program& program) const {
    optimizer::Simulation simulation;
    absl::Status status = optimizer::Simulator(request_.graph, request_.costs).Run(program, {}, &simulation);
    if (!status.ok()) return status;
    return simulation.seconds;
  }

  // Plans and takes what fits both tiers, if it is better than what there is. `bounds`: what it proves holds for the
  // request's own costs. Whether its plan is as fast with both tiers.
  absl::StatusOr<bool> Consider(const PlanRequest& request, bool bounds) {
    absl::StatusOr<PlanResult> found = planner_.Plan(request, progress_, stop_);
    if (!found.ok()) return found.status();
    stopped_ = stopped_ || found->status == PlanStatus::kLimit;
    if (bounds && found->bound_seconds > 0) {
      bounds_.push_back({optimizer::FirstRuns(found->program), found->bound_seconds});
    }
    bool as_fast = false;
    if (!found->program.empty()) {
      absl::StatusOr<bool> moved = ConsiderProgram(found->program, found->solver);
      if (!moved.ok()) return moved.status();
      as_fast = *moved;
    }
    if (found->min_budget_bytes == 0 || found->least_memory_program.empty()) return as_fast;
    Program least = found->least_memory_program;
    const absl::StatusOr<bool> fits = MoveToDisk(request_, limit_, &least);
    if (!fits.ok()) return fits.status();
    if (!*fits) return as_fast;
    if (best_.min_budget_bytes == 0 || found->min_budget_bytes < best_.min_budget_bytes) {
      best_.min_budget_bytes = found->min_budget_bytes;
      best_.least_memory_program = least;
    }
    if (found->min_budget_bytes <= request_.budget_bytes) {
      const absl::StatusOr<double> seconds = Seconds(least);
      if (!seconds.ok()) return seconds.status();
      Take(std::move(least), *seconds, found->solver);
    }
    return as_fast;
  }

  // Whether it fits both tiers and lost no time by that.
  absl::StatusOr<bool> ConsiderProgram(const Program& program, const std::string& solver) {
    Program moved = program;
    const absl::StatusOr<bool> fits = MoveToDisk(request_, limit_, &moved);
    if (!fits.ok()) return fits.status();
    if (!*fits) return false;
    const absl::StatusOr<double> seconds = Seconds(moved), before = Seconds(program);
    if (!seconds.ok()) return seconds.status();
    if (!before.ok()) return before.status();
    Take(std::move(moved), *seconds, solver);
    return *seconds <= *before * kSameTime;
  }

  // `program` fits both tiers.
  void Take(Program program, double seconds, const std::string& solver) {
    if (!best_.program.empty() && seconds >= best_seconds_) return;
    best_seconds_ = seconds;
    best_.program = std::move(program);
    best_.solver = solver;
  }

  PlanResult Result() {
    if (best_.program.empty()) {
      best_.status = stopped_ ? PlanStatus::kLimit : PlanStatus::kInfeasible;
      return std::move(best_);
    }
    best_.bound_seconds = BoundOfBest();
    // What the planner said of a plan holds for its own question, not for the one asked here.
    const double gap = planner_.proves() ? std::max(request_.gap, kOptimalGap) : kOptimalGap;
    const bool proven = best_seconds_ <= best_.bound_seconds * (1 + gap);
    best_.status = proven ? PlanStatus::kOptimal : PlanStatus::kFeasible;
    return std::move(best_);
  }

  const Planner& planner_;
  const PlanRequest& request_;
  const ProgressCallback& progress_;
  const std::atomic<bool>* const stop_;
  const Limit limit_;
  std::vector<Bound> bounds_;
  PlanResult best_;
  double best_seconds_ = 0;
  bool stopped_ = false;
};

}  // namespace

absl::StatusOr<PlanResult> PlanWithTiers(const Planner& planner, const PlanRequest& request,
                                         const ProgressCallback& progress, const std::atomic<bool>* stop) {
  if (request.host_limit_bytes == 0 || request.disk_limit_bytes == 0 || !planner.copies()) {
    return planner.Plan(request, progress, stop);
  }
  if (absl::Status status = optimizer::RequireDiskRates(*request.costs); !status.ok()) return status;
  return TierPlanner(planner, request, progress, stop).Plan();
}

}  // namespace str::strategies
