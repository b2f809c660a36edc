// checkmate-lp: Checkmate's approximation (lp_rounding.h), in its four variants: the best of nine thresholds, 0.5, a
// threshold that is drawn, and the best of a hundred random roundings.
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "optimizer/ilp/solvers.h"
#include "strategies/base_order.h"
#include "strategies/checkmate/lp_rounding.h"
#include "strategies/checkmate/retention.h"
#include "strategies/needs.h"
#include "strategies/planner.h"
#include "strategies/program_list.h"
#include "strategies/registry.h"
#include "strategies/staged/schedule.h"
#include "strategies/staged/staged_graph.h"
#include "strategies/staged/staged_planning.h"

namespace str::strategies {
namespace {

using optimizer::SolveStatus;

// Of the budget, for the relaxation.
constexpr double kBudgetShare = 0.9;
constexpr int kDraws = 100;

// Hands over what the next rounding holds; false: enough.
using Visit = std::function<bool(StageMatrix)>;
using Rounding = std::function<void(const HeldShares&, uint64_t seed, const Visit&)>;

// From the largest, which wins where several are as fast.
void Sweep(const HeldShares& shares, uint64_t seed, const Visit& visit) {
  for (int tenths = 9; tenths >= 1; --tenths) {
    if (!visit(shares.AtLeast(tenths / 10.0))) return;
  }
}

void Half(const HeldShares& shares, uint64_t seed, const Visit& visit) { visit(shares.AtLeast(0.5)); }

void Normal(const HeldShares& shares, uint64_t seed, const Visit& visit) { visit(shares.AtLeast(DrawThreshold(seed))); }

void Random(const HeldShares& shares, uint64_t seed, const Visit& visit) {
  for (uint64_t draw = 0; draw < kDraws; ++draw) {
    if (!visit(shares.Draw(seed * kDraws + draw))) return;
  }
}

class CheckmateLpPlanner : public Planner {
 public:
  CheckmateLpPlanner(std::string name, std::string description, Rounding rounding)
      : name_(std::move(name)), description_(std::move(description)), rounding_(std::move(rounding)) {}

  absl::string_view name() const override { return name_; }
  absl::string_view description() const override { return description_; }
  bool copies() const override { return false; }

  absl::StatusOr<PlanResult> Plan(const PlanRequest& request, const ProgressCallback& progress,
                                  const std::atomic<bool>* stop) const override {
    const Limit limit(request.time_limit, stop);
    const absl::StatusOr<std::unique_ptr<const optimizer::Solver>> solver = optimizer::MakeSolver(request.solver);
    if (!solver.ok()) return solver.status();
    PlanResult result;
    result.solver = (*solver)->name();
    const absl::StatusOr<std::vector<optimizer::NodeId>> order = BaseOrder(request);
    if (!order.ok()) return order.status();
    optimizer::Program keep_all = optimizer::KeepAll(*request.graph, *order);
    const absl::StatusOr<Needs> kept = FindNeeds(request, keep_all, request.budget_bytes);
    if (!kept.ok()) return kept.status();
    if (kept->bytes <= request.budget_bytes) {
      result.status = PlanStatus::kOptimal;
      result.program = std::move(keep_all);
      return result;
    }
    const StagedGraph staged(*request.graph, *request.costs, *order, request.pins);
    const int64_t budget = request.budget_bytes - staged.fixed_bytes();
    result.status = PlanStatus::kInfeasible;
    if (budget <= 0) return result;
    if (absl::Status status = CheckModelSize(staged); !status.ok()) return status;
    result.status = PlanStatus::kLimit;
    if (limit.Reached()) return result;
    optimizer::SolveOptions options;
    options.time_limit = limit.Left();
    options.stop = stop;
    if (progress) progress("solving the relaxation");
    const absl::StatusOr<Relaxation> relaxation = SolveRelaxation(staged, budget, kBudgetShare, **solver, options);
    if (!relaxation.ok()) return relaxation.status();
    if (relaxation->status == SolveStatus::kInfeasible) result.status = PlanStatus::kInfeasible;
    if (relaxation->status != SolveStatus::kOptimal) return result;
    return Round(request, staged, *relaxation, limit, std::move(result));
  }

 private:
  absl::StatusOr<PlanResult> Round(const PlanRequest& request, const StagedGraph& staged, const Relaxation& relaxation,
                                   const Limit& limit, PlanResult result) const {
    ProgramList list(&request);
    const std::vector<bool> none_kept(staged.size(), false);
    absl::Status status;
    bool complete = true;
    rounding_(relaxation.held, request.seed, [&](StageMatrix held) {
      complete = !limit.Reached();
      if (!complete) return false;
      MakeRunnable(staged, none_kept, &held);
      status = list.Add(ProgramOf(*request.graph, staged, LeastComputed(staged, held)));
      return status.ok();
    });
    if (!status.ok()) return status;
    absl::StatusOr<PlanResult> chosen = list.Choose(limit, complete);
    if (!chosen.ok()) return chosen.status();
    // Another budget has another relaxation: the list's smallest budget is not the planner's.
    result.status = chosen->status;
    result.program = std::move(chosen->program);
    return result;
  }

  const std::string name_, description_;
  const Rounding rounding_;
};

const PlannerRegistration kRegistrations[] = {
    PlannerRegistration(std::make_unique<CheckmateLpPlanner>(
        "checkmate-lp", "recomputes, by rounding the relaxation of Checkmate's model: the best of nine thresholds",
        Sweep)),
    PlannerRegistration(
        std::make_unique<CheckmateLpPlanner>("checkmate-lp:half", "checkmate-lp with a threshold of 0.5", Half)),
    PlannerRegistration(std::make_unique<CheckmateLpPlanner>(
        "checkmate-lp:normal", "checkmate-lp with one threshold, drawn by the seed from N(0.5, 0.5) cut to [0, 1]",
        Normal)),
    PlannerRegistration(std::make_unique<CheckmateLpPlanner>(
        "checkmate-lp:random", "checkmate-lp with the best of a hundred random roundings", Random)),
};

}  // namespace
}  // namespace str::strategies
