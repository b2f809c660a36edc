#include "strategies/str/portfolio.h"

#include <algorithm>
#include <atomic>
#include <thread>

namespace str::strategies {
namespace {

// Evaluated computes per chain, and the moves that this makes at most and at least.
constexpr int64_t kWorkPerChain = 60000000;
constexpr int64_t kMostMoves = 400000;
constexpr int64_t kLeastMoves = 30000;

// Where a chain starts.
enum class From { kFirstStart, kLastStart, kBest };

struct Chain {
  From from;
  double hottest;
  double penalty;
};

constexpr int kChainsPerRound = 2;
constexpr Chain kRounds[][kChainsPerRound] = {
    {{From::kFirstStart, 1e-4, 2}, {From::kLastStart, 1e-3, 2}},
    {{From::kFirstStart, 1e-5, 2}, {From::kLastStart, 3e-3, 2}},
    {{From::kFirstStart, 3e-4, 0.5}, {From::kBest, 1e-4, 2}},
    {{From::kLastStart, 2e-2, 2}, {From::kBest, 3e-4, 0.5}},
    {{From::kBest, 1e-3, 2}, {From::kBest, 3e-5, 2}},
};
// As long as nothing fits: memory first, hot.
constexpr Chain kMemoryFirst[kChainsPerRound] = {{From::kFirstStart, 2e-2, 2}, {From::kLastStart, 1e-1, 2}};
constexpr int kMostMemoryFirstRounds = 3;

bool Better(const AnnealResult& a, const AnnealResult& b) {
  if (a.fits != b.fits) return a.fits;
  return a.fits && a.evaluation.Cost() < b.evaluation.Cost();
}

class Portfolio {
 public:
  Portfolio(const LeanModel& model, const std::vector<Decisions>& starts, const PortfolioOptions& options,
            const Limit& limit)
      : model_(model), starts_(starts), options_(options), limit_(limit) {
    moves_ = std::clamp<int64_t>(kWorkPerChain / std::max(1, model.stages()), kLeastMoves, kMostMoves);
    best_.decisions = starts.front();
  }

  AnnealResult Run() {
    for (const auto& chains : kRounds) {
      if (RunRound(chains, /*memory_first=*/false)) return best_;
      for (int i = 0; !best_.fits && i < kMostMemoryFirstRounds; ++i) {
        if (RunRound(kMemoryFirst, /*memory_first=*/true)) return best_;
      }
      if (!best_.fits) break;
    }
    return best_;
  }

 private:
  // Returns whether this was the last one.
  bool RunRound(const Chain (&chains)[kChainsPerRound], bool memory_first) {
    AnnealResult results[kChainsPerRound];
    std::atomic<int> next(0);
    const auto work = [&] {
      for (int i = next++; i < kChainsPerRound; i = next++) {
        const Chain& chain = chains[i];
        AnnealOptions anneal;
        anneal.budget_bytes = options_.budget_bytes;
        anneal.moves = moves_;
        anneal.hottest = chain.hottest;
        anneal.penalty = chain.penalty;
        anneal.memory_first = memory_first;
        anneal.seed = options_.seed * 1000003 + static_cast<uint64_t>(count_ + i);
        anneal.good_enough_seconds = options_.good_enough_seconds;
        const Decisions& start = chain.from == From::kFirstStart  ? starts_.front()
                                 : chain.from == From::kLastStart ? starts_.back()
                                                                  : best_.decisions;
        results[i] = Annealer(&model_, &limit_, options_.host_limit_bytes).Run(start, anneal);
      }
    };
    std::vector<std::thread> threads;
    for (int i = 1; i < std::min(options_.threads, kChainsPerRound); ++i) threads.emplace_back(work);
    work();
    for (std::thread& thread : threads) thread.join();
    count_ += kChainsPerRound;
    for (AnnealResult& result : results) {
      if (Better(result, best_)) best_ = std::move(result);
    }
    if (options_.progress) options_.progress(best_);
    return limit_.Reached() || (best_.fits && best_.evaluation.seconds <= options_.good_enough_seconds);
  }

  const LeanModel& model_;
  const std::vector<Decisions>& starts_;
  const PortfolioOptions& options_;
  const Limit& limit_;
  int64_t moves_ = 0;
  int count_ = 0;
  AnnealResult best_;
};

}  // namespace

AnnealResult RunPortfolio(const LeanModel& model, const std::vector<Decisions>& starts,
                          const PortfolioOptions& options, const Limit& limit) {
  return Portfolio(model, starts, options, limit).Run();
}

}  // namespace str::strategies
