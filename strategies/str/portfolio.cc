#include "strategies/str/portfolio.h"

#include <algorithm>
#include <iterator>

#include "optimizer/parallel/run_parallel.h"

namespace str::strategies {
namespace {

// Of a chain: enough for every unit to be tried often, and with most others, but no more than a second's worth of
// evaluated stages.
constexpr int64_t kMovesPerPair = 3;
constexpr int64_t kMovesPerUnit = 800;
constexpr int64_t kMostWork = 30000000;

// Where a chain starts.
enum class From { kFirstStart, kSecondStart, kLastStart, kNothingDropped, kBest };

struct Chain {
  From from;
  double hottest;
  double penalty;
  // Until something fits: then it goes on as the others do.
  bool memory_first = false;
};

constexpr int kChainsPerRound = 4;
using Round = Chain[kChainsPerRound];
constexpr Round kRounds[] = {
    {{From::kFirstStart, 3e-4, 2},
     {From::kFirstStart, 1e-4, 0.5},
     {From::kSecondStart, 3e-4, 2},
     {From::kLastStart, 3e-3, 0.5}},
    {{From::kFirstStart, 3e-4, 0.5}, {From::kFirstStart, 3e-4, 2}, {From::kLastStart, 1e-3, 2}, {From::kBest, 1e-5, 2}},
    {{From::kFirstStart, 3e-4, 2}, {From::kSecondStart, 1e-3, 0.5}, {From::kBest, 1e-4, 0.5}, {From::kBest, 3e-4, 2}},
    {{From::kLastStart, 2e-2, 2}, {From::kBest, 3e-4, 0.5}, {From::kBest, 1e-3, 2}, {From::kBest, 3e-5, 2}},
    {{From::kLastStart, 1e-2, 0.5}, {From::kBest, 3e-3, 2}, {From::kBest, 1e-3, 0.5}, {From::kBest, 3e-4, 2}},
};
// As long as nothing fits.
constexpr Round kNothingFits = {{From::kFirstStart, 2e-2, 2, true},
                                {From::kLastStart, 1e-1, 2, true},
                                {From::kNothingDropped, 5e-2, 2, true},
                                {From::kLastStart, 3e-2, 2, true}};
constexpr int kMostRoundsWithoutFit = 2;
// Where the gap stays wide, because memory is tight in many places at once: hotter and much longer.
constexpr Round kWideRounds[] = {
    {{From::kNothingDropped, 5e-2, 10, true},
     {From::kNothingDropped, 2e-2, 40, true},
     {From::kBest, 2e-2, 10},
     {From::kBest, 5e-3, 40}},
    {{From::kBest, 5e-2, 10}, {From::kBest, 2e-2, 40}, {From::kBest, 1e-2, 10}, {From::kBest, 3e-3, 2}},
    {{From::kBest, 3e-2, 40}, {From::kBest, 1e-2, 10}, {From::kBest, 5e-3, 10}, {From::kBest, 1e-3, 2}},
};
constexpr int kWideMoves = 8;
constexpr size_t kMostKept = 6;

bool Better(const AnnealResult& a, const AnnealResult& b) {
  if (a.fits != b.fits) return a.fits;
  return a.fits && a.evaluation.Cost() < b.evaluation.Cost();
}

class Portfolio {
 public:
  Portfolio(const LeanModel& model, const std::vector<Decisions>& starts, const PortfolioOptions& options,
            const Limit& limit)
      : model_(model),
        starts_(starts),
        nothing_dropped_(model.problem().KeepEverything()),
        options_(options),
        limit_(limit) {
    const int64_t units = model.units();
    moves_ = std::min({kMovesPerPair * units * units, kMovesPerUnit * units, kMostWork / std::max(1, model.stages())});
    moves_ = static_cast<int64_t>(options.effort * static_cast<double>(moves_));
    best_.decisions = starts.front();
    // Other seeds than the usual rounds had.
    if (options.length == PortfolioOptions::Length::kLong)
      count_ = kChainsPerRound * static_cast<int>(std::size(kRounds));
  }

  AnnealResult Run() {
    if (options_.length == PortfolioOptions::Length::kLong) {
      RunLong();
    } else {
      RunUsual();
    }
    for (const AnnealResult& result : kept_) {
      if (result.decisions != best_.decisions) best_.others.push_back(result.decisions);
    }
    return best_;
  }

 private:
  void RunUsual() {
    for (const Round& round : kRounds) {
      if (RunRound(round, 1)) return;
      for (int i = 0; !best_.fits && i < kMostRoundsWithoutFit; ++i) {
        if (RunRound(kNothingFits, 1 + i)) return;
      }
      if (!best_.fits || options_.length == PortfolioOptions::Length::kBrief) return;
    }
  }

  void RunLong() {
    // The start as it is, so that it is known whether a round helps.
    AnnealOptions no_moves;
    no_moves.budget_bytes = options_.budget_bytes;
    best_ = Annealer(&model_, &limit_, options_.host_limit_bytes).Run(best_.decisions, no_moves);
    for (const Round& round : kWideRounds) {
      if (best_.fits && best_.evaluation.seconds <= options_.wide_seconds) return;
      const AnnealResult before = best_;
      if (RunRound(round, kWideMoves) || !Better(best_, before)) return;
    }
  }

  // Each chain `times` as long as usual. Returns whether this was the last round.
  bool RunRound(const Round& chains, int64_t times) {
    AnnealResult results[kChainsPerRound];
    optimizer::RunParallel(kChainsPerRound, options_.threads, [&](int i) {
      const Chain& chain = chains[i];
      AnnealOptions anneal;
      anneal.budget_bytes = options_.budget_bytes;
      anneal.moves = times * moves_;
      anneal.hottest = chain.hottest;
      anneal.penalty = chain.penalty;
      anneal.memory_first = chain.memory_first;
      anneal.seed = options_.seed * 1000003 + static_cast<uint64_t>(count_ + i);
      anneal.good_enough_seconds = options_.good_enough_seconds;
      results[i] = Annealer(&model_, &limit_, options_.host_limit_bytes, options_.means).Run(Start(chain.from), anneal);
    });
    count_ += kChainsPerRound;
    for (AnnealResult& result : results) {
      if (result.fits) Keep(result);
      if (Better(result, best_)) best_ = std::move(result);
    }
    if (options_.progress) options_.progress(best_);
    return limit_.Reached() || (best_.fits && best_.evaluation.seconds <= options_.good_enough_seconds);
  }

  void Keep(const AnnealResult& result) {
    const auto is_same = [&](const AnnealResult& other) { return other.decisions == result.decisions; };
    if (std::any_of(kept_.begin(), kept_.end(), is_same)) return;
    kept_.push_back(result);
    std::stable_sort(kept_.begin(), kept_.end(), Better);
    if (kept_.size() > kMostKept) kept_.pop_back();
  }

  const Decisions& Start(From from) const {
    switch (from) {
      case From::kFirstStart:
        return starts_.front();
      case From::kSecondStart:
        return starts_[starts_.size() / 2];
      case From::kLastStart:
        return starts_.back();
      case From::kNothingDropped:
        return nothing_dropped_;
      case From::kBest:
        break;
    }
    return best_.decisions;
  }

  const LeanModel& model_;
  const std::vector<Decisions>& starts_;
  const Decisions nothing_dropped_;
  const PortfolioOptions& options_;
  const Limit& limit_;
  int64_t moves_ = 0;
  int count_ = 0;
  AnnealResult best_;
  // The best results of all chains.
  std::vector<AnnealResult> kept_;
};

}  // namespace

AnnealResult RunPortfolio(const LeanModel& model, const std::vector<Decisions>& starts, const PortfolioOptions& options,
                          const Limit& limit) {
  return Portfolio(model, starts, options, limit).Run();
}

}  // namespace str::strategies
