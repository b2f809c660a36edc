// kusumoto-exact, kusumoto-approx (each :time or :memory) and kusumoto-chen: recomputation by chains of lower sets.
#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "config/text_units.h"
#include "strategies/base_order.h"
#include "strategies/kusumoto/chain_program.h"
#include "strategies/kusumoto/chain_search.h"
#include "strategies/kusumoto/forward_part.h"
#include "strategies/kusumoto/lower_sets.h"
#include "strategies/needs.h"
#include "strategies/planner.h"
#include "strategies/registry.h"

namespace str::strategies {
namespace {

using kusumoto::ChainSearch;
using kusumoto::ForwardPart;
using kusumoto::LowerSets;
using kusumoto::Objective;
using optimizer::Program;

// More are not enumerated: the search looks at every two of them.
constexpr int kMostSets = 50000;
// Of more than these, the least memory is looked for among the pruned family.
constexpr int kMostSetsForLeastMemory = 4000;
// With a little less memory each time.
constexpr int kRounds = 8;
// The search's bound is above what a program needs, so that a chain of a larger budget may need less. In shares of the
// smallest budget by that bound.
constexpr double kLeastMemoryShares[] = {1, 1.1, 1.25, 1.5, 2, 3};

struct Candidate {
  Program program;
  Needs needs;
};

// One request: its forward pass, families of lower sets, and programs of their chains.
class Planning {
 public:
  Planning(const PlanRequest& request, const ProgressCallback& progress, const std::atomic<bool>* stop)
      : request_(request), progress_(progress), limit_(request.time_limit, stop) {}

  absl::Status Start(bool exact) {
    const absl::StatusOr<std::vector<optimizer::NodeId>> order = BaseOrder(request_);
    if (!order.ok()) return order.status();
    part_ = kusumoto::FindForwardPart(request_, *order);
    const auto reached = [this] { return limit_.Reached(); };
    pruned_ = kusumoto::PrunedLowerSets(part_.values);
    pruned_search_.emplace(&part_.values, &*pruned_, reached);
    if (!exact) return absl::OkStatus();
    all_ = kusumoto::AllLowerSets(part_.values, kMostSets, reached);
    if (all_.has_value()) {
      all_search_.emplace(&part_.values, &*all_, reached);
    } else if (progress_ && !limit_.Reached()) {
      progress_(absl::StrCat("the forward pass has more than ", kMostSets,
                             " lower sets; going on with the pruned family, as kusumoto-approx does"));
    }
    return absl::OkStatus();
  }

  bool LimitReached() const { return limit_.Reached(); }

  // With the least memory of all that this planner makes, whatever the budget is. None: stopped.
  absl::StatusOr<std::optional<Candidate>> FindLeastMemory() {
    const bool all = all_.has_value() && all_->size() <= kMostSetsForLeastMemory;
    const ChainSearch& search = all ? *all_search_ : *pruned_search_;
    const LowerSets& sets = all ? *all_ : *pruned_;
    std::vector<Program> programs = {ProgramOf(sets, {sets.size() - 1})};
    const int64_t smallest = search.SmallestBudget();
    for (const double share : kLeastMemoryShares) {
      const std::vector<int> chain = search.Find(static_cast<int64_t>(smallest * share), Objective::kMemory);
      if (!chain.empty()) programs.push_back(ProgramOf(sets, chain));
    }
    if (LimitReached()) return std::nullopt;
    return Smallest(std::move(programs));
  }

  // Within the budget, by the objective. None: stopped, or no chain fits.
  absl::StatusOr<std::optional<Candidate>> FindWithinBudget(Objective objective) {
    const bool all = all_.has_value();
    const ChainSearch& search = all ? *all_search_ : *pruned_search_;
    const LowerSets& sets = all ? *all_ : *pruned_;
    int64_t budget = request_.budget_bytes - part_.fixed_bytes;
    for (int round = 0; round < kRounds && budget > 0 && !LimitReached(); ++round) {
      const std::vector<int> chain = search.Find(budget, objective);
      if (chain.empty()) break;
      Program program = ProgramOf(sets, chain);
      const absl::StatusOr<Needs> needs = FindNeeds(request_, program, request_.budget_bytes);
      if (!needs.ok()) return needs.status();
      if (needs->bytes <= request_.budget_bytes) return Candidate{std::move(program), *needs};
      if (progress_) {
        progress_(absl::StrCat("a chain of ", chain.size(), " segments needs ", config::FormatBytes(needs->bytes),
                               "; trying with less memory"));
      }
      budget -= (needs->bytes - request_.budget_bytes) * (round + 1);
    }
    return std::nullopt;
  }

  absl::StatusOr<std::optional<Candidate>> Chen() {
    const bool all = all_.has_value();
    const std::vector<int> chain = (all ? *all_search_ : *pruned_search_).ChenChain();
    return Smallest({ProgramOf(all ? *all_ : *pruned_, chain)});
  }

 private:
  Program ProgramOf(const LowerSets& sets, const std::vector<int>& chain) const {
    return kusumoto::ChainProgram(*request_.graph, part_, sets, chain);
  }

  // Placing takes longer than judging, so only the best by their peak are placed.
  absl::StatusOr<std::optional<Candidate>> Smallest(std::vector<Program> programs) const {
    constexpr size_t kPlaced = 2;
    PlanRequest unplaced = request_;
    unplaced.placed = false;
    std::vector<Candidate> candidates;
    for (Program& program : programs) {
      const absl::StatusOr<Needs> needs = FindNeeds(unplaced, program, 0);
      if (!needs.ok()) return needs.status();
      candidates.push_back({std::move(program), *needs});
    }
    const auto smaller = [](const Candidate& a, const Candidate& b) {
      return std::pair(a.needs.bytes, a.needs.seconds) < std::pair(b.needs.bytes, b.needs.seconds);
    };
    std::stable_sort(candidates.begin(), candidates.end(), smaller);
    candidates.resize(std::min(candidates.size(), kPlaced));
    for (Candidate& candidate : candidates) {
      const absl::StatusOr<Needs> needs = FindNeeds(request_, candidate.program, 0);
      if (!needs.ok()) return needs.status();
      candidate.needs = *needs;
    }
    return *std::min_element(candidates.begin(), candidates.end(), smaller);
  }

  const PlanRequest& request_;
  const ProgressCallback& progress_;
  const Limit limit_;
  ForwardPart part_;
  std::optional<LowerSets> all_, pruned_;
  std::optional<ChainSearch> all_search_, pruned_search_;
};

// kLimit, kInfeasible, or room for a plan.
PlanResult WithLeastMemory(const PlanRequest& request, std::optional<Candidate> least) {
  PlanResult result;
  if (!least.has_value()) return result;
  result.min_budget_bytes = least->needs.bytes;
  result.least_memory_program = std::move(least->program);
  result.status = result.min_budget_bytes > request.budget_bytes ? PlanStatus::kInfeasible : PlanStatus::kFeasible;
  return result;
}

class KusumotoPlanner : public Planner {
 public:
  KusumotoPlanner(std::string name, bool exact, Objective objective)
      : name_(std::move(name)),
        description_(absl::StrCat("recomputes, by Kusumoto's dynamic program over ",
                                  exact ? "all lower sets" : "a pruned family of lower sets", "; ",
                                  objective == Objective::kTime ? "least time" : "least memory")),
        exact_(exact),
        objective_(objective) {}

  absl::string_view name() const override { return name_; }
  absl::string_view description() const override { return description_; }
  bool copies() const override { return false; }

  absl::StatusOr<PlanResult> Plan(const PlanRequest& request, const ProgressCallback& progress,
                                  const std::atomic<bool>* stop) const override {
    Planning planning(request, progress, stop);
    if (absl::Status status = planning.Start(exact_); !status.ok()) return status;
    absl::StatusOr<std::optional<Candidate>> least = planning.FindLeastMemory();
    if (!least.ok()) return least.status();
    PlanResult result = WithLeastMemory(request, *std::move(least));
    if (result.status != PlanStatus::kFeasible) return result;
    absl::StatusOr<std::optional<Candidate>> found = planning.FindWithinBudget(objective_);
    if (!found.ok()) return found.status();
    result.program = found->has_value() ? std::move((*found)->program) : result.least_memory_program;
    return result;
  }

 private:
  const std::string name_, description_;
  const bool exact_;
  const Objective objective_;
};

class ChenPlanner : public Planner {
 public:
  absl::string_view name() const override { return "kusumoto-chen"; }
  absl::string_view description() const override {
    return "recomputes, by Chen's rule as Kusumoto et al. compare with it: segments of equal bytes";
  }
  bool copies() const override { return false; }

  absl::StatusOr<PlanResult> Plan(const PlanRequest& request, const ProgressCallback& progress,
                                  const std::atomic<bool>* stop) const override {
    Planning planning(request, progress, stop);
    if (absl::Status status = planning.Start(true); !status.ok()) return status;
    if (planning.LimitReached()) return PlanResult();
    absl::StatusOr<std::optional<Candidate>> only = planning.Chen();
    if (!only.ok()) return only.status();
    PlanResult result = WithLeastMemory(request, *std::move(only));
    if (result.status == PlanStatus::kFeasible) result.program = result.least_memory_program;
    return result;
  }
};

const PlannerRegistration kExact(std::make_unique<KusumotoPlanner>("kusumoto-exact", true, Objective::kTime));
const PlannerRegistration kExactTime(std::make_unique<KusumotoPlanner>("kusumoto-exact:time", true, Objective::kTime));
const PlannerRegistration kExactMemory(std::make_unique<KusumotoPlanner>("kusumoto-exact:memory", true,
                                                                         Objective::kMemory));
const PlannerRegistration kApprox(std::make_unique<KusumotoPlanner>("kusumoto-approx", false, Objective::kTime));
const PlannerRegistration kApproxTime(std::make_unique<KusumotoPlanner>("kusumoto-approx:time", false,
                                                                        Objective::kTime));
const PlannerRegistration kApproxMemory(std::make_unique<KusumotoPlanner>("kusumoto-approx:memory", false,
                                                                          Objective::kMemory));
const PlannerRegistration kChen(std::make_unique<ChenPlanner>());

}  // namespace
}  // namespace str::strategies
