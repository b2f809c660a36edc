#include "strategies/str/search.h"

#include <algorithm>

namespace str::strategies {
namespace {

// Candidates of each kind that are evaluated exactly per decision.
constexpr int kSwapCandidates = 6;
constexpr int kRerunCandidates = 6;
constexpr int kOtherCandidates = 3;
// How a fully hidden copy is rated against computing, so that needless ones are avoided.
constexpr double kHiddenCopyRate = 0.05;
// Of the excess at its worst stage against the excess over time.
constexpr double kMostExcessShare = 0.05;
// An improvement below this share of the step's time is none.
constexpr double kSmallestGain = 1e-6;
constexpr int kMostCleanUpPasses = 4;
constexpr int kMostRerunEstimateSteps = 60;
constexpr int64_t kMostDescendWork = 5000000;

}  // namespace

Search::Search(const LeanModel* model, const Limit* limit, int64_t host_limit_bytes)
    : model_(*model),
      problem_(model->problem()),
      limit_(*limit),
      host_limit_bytes_(host_limit_bytes),
      evaluator_(model, host_limit_bytes > 0) {
  stage_starts_.resize(model_.stages() + 1, 0);
  for (int stage = 0; stage < model_.stages(); ++stage) {
    stage_starts_[stage + 1] = stage_starts_[stage] + model_.stage(stage).seconds;
  }
  const int32_t storages = static_cast<int32_t>(problem_.storages().size());
  for (int32_t id = 0; id < storages; ++id) sizes_.push_back(model_.storage(id).bytes);
  std::sort(sizes_.begin(), sizes_.end());
  sizes_.erase(std::unique(sizes_.begin(), sizes_.end()), sizes_.end());
  for (int32_t id = 0; id < storages; ++id) {
    const auto at = std::lower_bound(sizes_.begin(), sizes_.end(), model_.storage(id).bytes);
    size_of_.push_back(static_cast<int32_t>(at - sizes_.begin()));
  }
}

bool Search::HostFits(const Evaluation& evaluation) const {
  return host_limit_bytes_ == 0 || evaluation.host_peak_bytes <= host_limit_bytes_;
}

bool Search::Fits(const Evaluation& evaluation, int64_t budget_bytes) const {
  return evaluation.valid && evaluation.peak_bytes <= budget_bytes && HostFits(evaluation);
}

double Search::EstimateSwap(const LeanUnit& unit) const {
  const LeanStorage& storage = model_.storage(unit.storage);
  const double copies = storage.copy_out_seconds + storage.copy_in_seconds;
  const double gap = stage_starts_[unit.to] - stage_starts_[unit.from + 1];
  return kHiddenCopyRate * copies + std::max(0.0, copies - gap);
}

bool Search::IsThere(int32_t id, int32_t stage, const Decisions& decisions, bool* fetched) const {
  const LeanStorage& storage = model_.storage(id);
  *fetched = false;
  for (int32_t u = storage.first_unit; u < storage.end_unit; ++u) {
    if (stage <= model_.unit(u).from) return true;
    if (stage > model_.unit(u).to) continue;
    *fetched = decisions[u] == Mode::kSwap;
    return decisions[u] == Mode::kKeep;
  }
  return true;
}

double Search::EstimateRerun(int32_t id, int32_t stage, const Decisions& decisions, int* steps_left) const {
  const int32_t producer = model_.storage(id).producer;
  double seconds = model_.stage(producer).seconds;
  for (const int32_t needed : model_.inputs(producer)) {
    bool fetched = false;
    if (IsThere(needed, stage, decisions, &fetched)) continue;
    if (fetched) {
      seconds += kHiddenCopyRate * model_.storage(needed).copy_in_seconds;
    } else if (--*steps_left > 0) {
      seconds += EstimateRerun(needed, stage, decisions, steps_left);
    }
  }
  return seconds;
}

void Search::Nominate(int64_t budget_bytes, Means means, const Decisions& decisions,
                      std::vector<Candidate>* candidates) {
  std::vector<int64_t> bytes;
  std::vector<double> seconds;
  evaluator_.StageProfile(&bytes, &seconds);
  const int stages = model_.stages();
  relief_before_.assign(sizes_.size(), {});
  const auto relief_before = [&](int32_t storage) -> const std::vector<double>& {
    std::vector<double>& relief = relief_before_[size_of_[storage]];
    if (!relief.empty()) return relief;
    relief.assign(stages + 1, 0);
    for (int stage = 0; stage < stages; ++stage) {
      const int64_t excess = std::max<int64_t>(0, bytes[stage] - budget_bytes);
      const int64_t taken = std::min(sizes_[size_of_[storage]], excess);
      relief[stage + 1] = relief[stage] + seconds[stage] * static_cast<double>(taken);
    }
    return relief;
  };
  const auto allows = [&](int32_t unit, Mode mode) {
    if (means == Means::kSwap && mode != Mode::kSwap) return false;
    if (means == Means::kRecompute && mode == Mode::kSwap) return false;
    return Allows(unit, mode);
  };
  std::vector<Candidate> swaps, reruns, others;
  for (int32_t u = 0; u < model_.units(); ++u) {
    const LeanUnit& unit = model_.unit(u);
    const std::vector<double>& relief = relief_before(unit.storage);
    const double gain = relief[unit.to] - relief[unit.from + 1];
    const double handed_over = unit.hands_over ? relief[unit.from + 1] - relief[unit.from] : 0;
    if (gain + handed_over <= 0) continue;
    if (decisions[u] == Mode::kKeep) {
      if (gain > 0 && allows(u, Mode::kSwap)) swaps.push_back({u, Mode::kSwap, gain / EstimateSwap(unit)});
      if (allows(u, Mode::kRecompute)) {
        int steps_left = kMostRerunEstimateSteps;
        const double cost = EstimateRerun(unit.storage, unit.to, decisions, &steps_left);
        const double worth = (gain + handed_over) / (cost + kSmallestGain * model_.compute_seconds());
        reruns.push_back({u, Mode::kRecompute, worth});
      }
    } else if (decisions[u] != Mode::kTransient) {
      for (Mode mode : {Mode::kTransient, Mode::kSwap}) {
        if (mode != decisions[u] && allows(u, mode)) others.push_back({u, mode, gain});
      }
    }
  }
  candidates->clear();
  const auto take = [&](std::vector<Candidate>& from, size_t most) {
    most = std::min(most, from.size());
    std::partial_sort(from.begin(), from.begin() + most, from.end(), [](const Candidate& a, const Candidate& b) {
      return a.worth != b.worth ? a.worth > b.worth : a.unit < b.unit;
    });
    candidates->insert(candidates->end(), from.begin(), from.begin() + most);
  };
  take(swaps, kSwapCandidates);
  take(reruns, kRerunCandidates);
  take(others, kOtherCandidates);
}

bool Search::Reduce(int64_t budget_bytes, Means means, Decisions* decisions) {
  std::vector<Candidate> candidates;
  Evaluation current = evaluator_.Evaluate(*decisions, budget_bytes);
  const double total = model_.compute_seconds();
  while (current.valid && !Fits(current, budget_bytes)) {
    if (limit_.Reached()) return false;
    Nominate(budget_bytes, means, *decisions, &candidates);
    double best_worth = 0;
    Candidate best;
    Evaluation best_evaluation;
    for (const Candidate& candidate : candidates) {
      const Mode before = (*decisions)[candidate.unit];
      (*decisions)[candidate.unit] = candidate.mode;
      Evaluation evaluation = evaluator_.EvaluateMemory(*decisions, budget_bytes);
      const double gain =
          current.excess - evaluation.excess +
          kMostExcessShare * total * static_cast<double>(current.most_excess_bytes - evaluation.most_excess_bytes);
      if (evaluation.valid && gain > 0) {
        evaluator_.EvaluateTime(budget_bytes, &evaluation);
        const double cost = std::max(0.0, evaluation.Cost() - current.Cost()) + kSmallestGain * total;
        if (HostFits(evaluation) && gain / cost > best_worth) {
          best_worth = gain / cost;
          best = candidate;
          best_evaluation = evaluation;
        }
      }
      (*decisions)[candidate.unit] = before;
    }
    if (best_worth <= 0) return false;
    (*decisions)[best.unit] = best.mode;
    current = best_evaluation;
    // Brings back the stage profile of what was chosen.
    evaluator_.EvaluateMemory(*decisions, budget_bytes);
  }
  return current.valid;
}

double Search::Burden(int32_t unit, Mode mode) const {
  const LeanStorage& storage = model_.storage(model_.unit(unit).storage);
  if (mode == Mode::kSwap) return storage.copy_out_seconds + storage.copy_in_seconds;
  return model_.stage(storage.producer).seconds;
}

bool Search::TryMode(int64_t budget_bytes, int32_t unit, Mode mode, Decisions* decisions, Evaluation* current) {
  const Mode before = (*decisions)[unit];
  (*decisions)[unit] = mode;
  Evaluation evaluation = evaluator_.EvaluateMemory(*decisions, budget_bytes);
  if (Fits(evaluation, budget_bytes)) {
    evaluator_.EvaluateTime(budget_bytes, &evaluation);
    // Less to do is better even at the same cost.
    const double needed = mode == Mode::kKeep ? 0 : kSmallestGain * model_.compute_seconds();
    if (Fits(evaluation, budget_bytes) && evaluation.Cost() <= current->Cost() - needed) {
      *current = evaluation;
      return true;
    }
  }
  (*decisions)[unit] = before;
  return false;
}

void Search::CleanUp(int64_t budget_bytes, Decisions* decisions) {
  Evaluation current = evaluator_.Evaluate(*decisions, budget_bytes);
  if (!Fits(current, budget_bytes)) return;
  std::vector<int32_t> decided;
  for (int32_t u = 0; u < static_cast<int32_t>(decisions->size()); ++u) {
    if ((*decisions)[u] != Mode::kKeep) decided.push_back(u);
  }
  for (int pass = 0; pass < kMostCleanUpPasses; ++pass) {
    bool changed = false;
    std::stable_sort(decided.begin(), decided.end(),
                     [&](int32_t a, int32_t b) { return Burden(a, (*decisions)[a]) > Burden(b, (*decisions)[b]); });
    for (int32_t unit : decided) {
      if (limit_.Reached()) return;
      if ((*decisions)[unit] == Mode::kKeep) continue;
      if (TryMode(budget_bytes, unit, Mode::kKeep, decisions, &current)) {
        changed = true;
        continue;
      }
      if (pass == 0) continue;
      for (Mode mode : {Mode::kSwap, Mode::kRecompute, Mode::kTransient}) {
        if (mode == (*decisions)[unit] || !Allows(unit, mode)) continue;
        changed |= TryMode(budget_bytes, unit, mode, decisions, &current);
      }
    }
    if (!changed && pass > 0) return;
  }
}

void Search::Descend(Mode rerun, Decisions* decisions) {
  const int64_t last = evaluator_.work() + kMostDescendWork;
  while (!limit_.Reached() && LowerPeak(rerun, last, decisions)) {
  }
}

bool Search::LowerPeak(Mode rerun, int64_t most_work, Decisions* decisions) {
  const int64_t peak = evaluator_.EvaluateMemory(*decisions, 0).tight_peak_bytes;
  std::vector<int64_t> bytes;
  std::vector<double> seconds;
  evaluator_.StageProfile(&bytes, &seconds);
  const int32_t stage = static_cast<int32_t>(std::max_element(bytes.begin(), bytes.end()) - bytes.begin());
  const double excess = evaluator_.EvaluateMemory(*decisions, peak - 1).excess;
  // Units whose storage may be on the device in that stage: with reruns also those that are dropped.
  const bool reruns = std::any_of(decisions->begin(), decisions->end(),
                                  [](Mode mode) { return mode == Mode::kRecompute || mode == Mode::kTransient; });
  std::vector<int32_t> near;
  for (int32_t u = 0; u < model_.units(); ++u) {
    const LeanUnit& unit = model_.unit(u);
    const bool edge = unit.from == stage || unit.to == stage;
    const bool inside = unit.from < stage && stage < unit.to;
    if (edge || (inside && (reruns || (*decisions)[u] == Mode::kKeep))) near.push_back(u);
  }
  std::stable_sort(near.begin(), near.end(), [&](int32_t a, int32_t b) {
    return model_.storage(model_.unit(a).storage).bytes > model_.storage(model_.unit(b).storage).bytes;
  });
  const auto is_lower = [&] {
    const Evaluation evaluation = evaluator_.EvaluateMemory(*decisions, peak - 1);
    if (!evaluation.valid || evaluation.tight_peak_bytes > peak || evaluation.excess >= excess) return false;
    // Memory alone does not tell what the host holds.
    return host_limit_bytes_ == 0 || HostFits(evaluator_.Evaluate(*decisions, 0));
  };
  const auto may_go_on = [&] { return !limit_.Reached() && evaluator_.work() < most_work; };
  // Everything that is kept across the stage at once, then the larger half of it, and so on: far above the least
  // memory that saves most steps.
  std::vector<int32_t> kept;
  for (int32_t unit : near) {
    const bool inside = model_.unit(unit).from < stage && stage < model_.unit(unit).to;
    if ((*decisions)[unit] == Mode::kKeep && inside) kept.push_back(unit);
  }
  for (size_t count = kept.size(); count > 1 && may_go_on(); count /= 2) {
    const Decisions before = *decisions;
    for (size_t i = 0; i < count; ++i) {
      const bool swap = Allows(kept[i], Mode::kSwap);
      (*decisions)[kept[i]] = swap ? Mode::kSwap : rerun;
    }
    if (is_lower()) return true;
    *decisions = before;
  }
  for (int32_t unit : near) {
    const Mode before = (*decisions)[unit];
    const Mode other = rerun == Mode::kTransient ? Mode::kRecompute : Mode::kTransient;
    for (Mode mode : {Mode::kSwap, rerun, other, Mode::kKeep}) {
      if (mode == before || !Allows(unit, mode)) continue;
      if (!may_go_on()) return false;
      (*decisions)[unit] = mode;
      if (is_lower()) return true;
      (*decisions)[unit] = before;
    }
  }
  return false;
}

}  // namespace str::strategies
