#include "strategies/str/annealer.h"

#include <algorithm>
#include <cmath>

namespace str::strategies {
namespace {

// How many moves pass between looks at the clock and changes of temperature.
constexpr int kMovesPerTemperature = 64;
// An improvement below this share of the step's time is none.
constexpr double kSmallestGain = 1e-9;
// While memory comes first: the weights of time and of the excess over time.
constexpr double kTimeWeight = 1e-4;
constexpr double kExcessWeight = 0.3;
constexpr int kNear = 5;
constexpr int kLongestRun = 8;
constexpr int kLongestPattern = 25;

}  // namespace

Annealer::Annealer(const LeanModel* model, const Limit* limit, int64_t host_limit_bytes, Means means)
    : model_(*model),
      limit_(*limit),
      host_limit_bytes_(host_limit_bytes),
      evaluator_(model, host_limit_bytes > 0),
      modes_(model->units()) {
  const Problem& problem = model_.problem();
  for (int32_t unit = 0; unit < model_.units(); ++unit) {
    for (const Mode mode : {Mode::kKeep, Mode::kSwap, Mode::kRecompute, Mode::kTransient}) {
      const bool afterlife = problem.units()[unit].afterlife;
      const bool recomputes = mode == Mode::kRecompute || (mode == Mode::kTransient && !afterlife);
      const bool excluded =
          (means == Means::kRecompute && mode == Mode::kSwap) || (means == Means::kSwap && recomputes);
      if (!excluded && problem.Allows(problem.units()[unit], mode)) modes_[unit].push_back(mode);
    }
    if (modes_[unit].size() > 1) units_with_choice_.push_back(unit);
  }
}

bool Annealer::Fits(const Evaluation& evaluation) const {
  return evaluation.valid && evaluation.tight_peak_bytes <= options_.budget_bytes &&
         (host_limit_bytes_ == 0 || evaluation.host_peak_bytes <= host_limit_bytes_);
}

double Annealer::Penalty(const Evaluation& evaluation) const {
  const double peak = static_cast<double>(model_.peak_bytes());
  double most = model_.compute_seconds() * static_cast<double>(evaluation.most_excess_bytes) / peak;
  if (host_limit_bytes_ > 0 && evaluation.host_peak_bytes > host_limit_bytes_) {
    most += model_.compute_seconds() * static_cast<double>(evaluation.host_peak_bytes - host_limit_bytes_) / peak;
  }
  const double over_time = evaluation.excess / peak;
  return memory_first_ ? most + kExcessWeight * over_time : options_.penalty * (most + over_time);
}

double Annealer::Cost(const Evaluation& evaluation) const {
  return (memory_first_ ? kTimeWeight : 1) * evaluation.Cost() + Penalty(evaluation);
}

AnnealResult Annealer::Run(const Decisions& start, const AnnealOptions& options) {
  options_ = options;
  random_.seed(options.seed);
  AnnealResult best;
  best.decisions = start;
  best.evaluation = evaluator_.Evaluate(start, options.budget_bytes);
  best.fits = Fits(best.evaluation);
  memory_first_ = options.memory_first && !best.fits;
  const bool good_enough = best.fits && best.evaluation.seconds <= options.good_enough_seconds;
  if (!best.evaluation.valid || units_with_choice_.empty() || good_enough) return best;
  const double total = model_.compute_seconds();
  Decisions decisions = start;
  double cost = Cost(best.evaluation);
  double temperature = 0;
  std::uniform_real_distribution<double> uniform(1e-300, 1);
  for (int64_t move = 0; move < options.moves; ++move) {
    if (move % kMovesPerTemperature == 0) {
      if (limit_.Reached()) break;
      const double share = static_cast<double>(move) / static_cast<double>(options.moves);
      temperature = total * options.hottest * std::pow(options.coldest / options.hottest, share);
    }
    changes_.clear();
    ProposeMove(&decisions);
    if (changes_.empty()) continue;
    const double most = cost - temperature * std::log(uniform(random_));
    Evaluation evaluation = evaluator_.EvaluateMemory(decisions, options.budget_bytes);
    bool accepted = evaluation.valid && Cost(evaluation) <= most;
    if (accepted) {
      evaluator_.EvaluateTime(options.budget_bytes, &evaluation);
      accepted = Cost(evaluation) <= most;
    }
    if (!accepted) {
      for (size_t i = changes_.size(); i-- > 0;) decisions[changes_[i].unit] = changes_[i].before;
      continue;
    }
    cost = Cost(evaluation);
    if (!Fits(evaluation)) continue;
    if (!best.fits || evaluation.Cost() < best.evaluation.Cost() - kSmallestGain * total) {
      best = {true, decisions, evaluation};
      if (evaluation.seconds <= options.good_enough_seconds) break;
    }
    if (memory_first_) {
      memory_first_ = false;
      cost = Cost(evaluation);
    }
  }
  return best;
}

bool Annealer::Allows(int32_t unit, Mode mode) const {
  return std::find(modes_[unit].begin(), modes_[unit].end(), mode) != modes_[unit].end();
}

void Annealer::ProposeMove(Decisions* decisions) {
  const int kind = static_cast<int>(random_() % 10);
  if (kind < 5) {
    SetRandomMode(RandomUnit(), decisions);
  } else if (kind < 8) {
    Exchange(decisions);
  } else if (kind < 9) {
    SetRun(decisions);
  } else {
    CopyPattern(decisions);
  }
}

void Annealer::Set(int32_t unit, Mode mode, Decisions* decisions) {
  Mode& now = (*decisions)[unit];
  if (now == mode) return;
  changes_.push_back({unit, now});
  now = mode;
}

void Annealer::SetRandomMode(int32_t unit, Decisions* decisions) {
  const std::vector<Mode>& modes = modes_[unit];
  // Any but the present one.
  const size_t choice = random_() % (modes.size() - 1);
  const Mode now = (*decisions)[unit];
  Set(unit, modes[choice] == now ? modes.back() : modes[choice], decisions);
}

// One unit is kept again and another is dropped, half of the time a near one.
void Annealer::Exchange(Decisions* decisions) {
  const size_t first = random_() % units_with_choice_.size();
  const int32_t a = units_with_choice_[first];
  size_t second = random_() % units_with_choice_.size();
  if (random_() % 2 == 0) {
    const size_t from = first < kNear ? 0 : first - kNear;
    second = std::min(from + random_() % (2 * kNear + 1), units_with_choice_.size() - 1);
  }
  const int32_t b = units_with_choice_[second];
  if (a == b) return;
  const Mode mode_a = (*decisions)[a], mode_b = (*decisions)[b];
  if (mode_a == mode_b) {
    SetRandomMode(a, decisions);
    SetRandomMode(b, decisions);
    return;
  }
  if (Allows(a, mode_b)) Set(a, mode_b, decisions);
  if (Allows(b, mode_a)) Set(b, mode_a, decisions);
}

void Annealer::SetRun(Decisions* decisions) {
  const size_t first = random_() % units_with_choice_.size();
  const size_t last = std::min(first + 1 + random_() % kLongestRun, units_with_choice_.size());
  const std::vector<Mode>& modes = modes_[units_with_choice_[first]];
  const Mode mode = modes[random_() % modes.size()];
  for (size_t i = first; i < last; ++i) {
    const int32_t unit = units_with_choice_[i];
    if (Allows(unit, mode)) Set(unit, mode, decisions);
  }
}

// Models repeat themselves: what is good for one block may be for the next.
void Annealer::CopyPattern(Decisions* decisions) {
  const size_t count = units_with_choice_.size();
  const size_t length = std::min<size_t>(2 + random_() % (kLongestPattern - 1), count);
  const size_t from = random_() % (count - length + 1), to = random_() % (count - length + 1);
  for (size_t i = 0; i < length; ++i) {
    const int32_t unit = units_with_choice_[to + i];
    const Mode mode = (*decisions)[units_with_choice_[from + i]];
    if (Allows(unit, mode)) Set(unit, mode, decisions);
  }
}

}  // namespace str::strategies
