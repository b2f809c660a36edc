#include "strategies/kusumoto/chain_search.h"

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <limits>
#include <optional>
#include <utility>

#include "gtest/gtest.h"
#include "strategies/kusumoto/testing.h"

namespace str::strategies::kusumoto {
namespace {

const auto kGoOn = [] { return false; };

// What a chain needs and keeps, straight from the definition.
struct Figures {
  int64_t budget = 0;
  int64_t time = 0;
  int64_t bytes = 0;
};

Figures Evaluate(const ValueGraph& graph, const LowerSets& sets, const std::vector<int>& chain) {
  Figures figures;
  int before = 0;
  for (const int set : chain) {
    int64_t need = figures.bytes;
    for (int value = 0; value < static_cast<int>(graph.size()); ++value) {
      const auto outside = [&](int other) { return !sets.Has(set, other); };
      const std::vector<int>& inputs = graph[value].inputs;
      const std::vector<int>& consumers = graph[value].consumers;
      if (sets.Has(set, value)) {
        if (sets.Has(before, value)) continue;
        need += 2 * graph[value].bytes;
        if (std::any_of(consumers.begin(), consumers.end(), outside)) {
          figures.time += graph[value].kept_time;
          figures.bytes += graph[value].kept_bytes;
        }
        continue;
      }
      const auto follows = [&](int other) {
        const std::vector<int>& of = graph[other].inputs;
        return outside(other) && !std::all_of(of.begin(), of.end(), outside);
      };
      if (!std::all_of(inputs.begin(), inputs.end(), outside)) need += graph[value].bytes;
      if (std::any_of(consumers.begin(), consumers.end(), follows)) need += graph[value].bytes;
    }
    figures.budget = std::max(figures.budget, need);
    before = set;
  }
  return figures;
}

// All chains of the family.
void ForEachChain(const LowerSets& sets, std::vector<int>* chain, const std::function<void()>& visit) {
  const int last = chain->empty() ? 0 : chain->back();
  if (last == sets.size() - 1) return visit();
  for (int next = last + 1; next < sets.size(); ++next) {
    if (!sets.IsSubset(last, next)) continue;
    chain->push_back(next);
    ForEachChain(sets, chain, visit);
    chain->pop_back();
  }
}

// Against every chain there is, on small random graphs, for all budgets that make a difference.
TEST(ChainSearchTest, FindsTheBestOfAllChains) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    const ValueGraph graph = RandomGraph(seed, 7);
    const LowerSets sets = *AllLowerSets(graph, 1000, kGoOn);
    const ChainSearch search(&graph, &sets, kGoOn);
    std::vector<Figures> chains;
    std::vector<int> chain;
    ForEachChain(sets, &chain, [&] { chains.push_back(Evaluate(graph, sets, chain)); });
    int64_t smallest = std::numeric_limits<int64_t>::max();
    for (const Figures& figures : chains) smallest = std::min(smallest, figures.budget);
    EXPECT_EQ(search.SmallestBudget(), smallest);
    EXPECT_TRUE(search.Find(smallest - 1, Objective::kTime).empty());
    EXPECT_TRUE(search.Find(smallest - 1, Objective::kMemory).empty());
    for (int64_t budget = smallest; budget < smallest + 60; budget += 3) {
      int64_t most_time = -1, fewest_bytes = std::numeric_limits<int64_t>::max();
      for (const Figures& figures : chains) {
        if (figures.budget > budget) continue;
        most_time = std::max(most_time, figures.time);
        fewest_bytes = std::min(fewest_bytes, figures.bytes);
      }
      const std::vector<int> fast = search.Find(budget, Objective::kTime);
      EXPECT_LE(Evaluate(graph, sets, fast).budget, budget);
      EXPECT_EQ(Evaluate(graph, sets, fast).time, most_time);
      EXPECT_EQ(search.KeptTime(fast), most_time);
      const std::vector<int> small = search.Find(budget, Objective::kMemory);
      EXPECT_LE(Evaluate(graph, sets, small).budget, budget);
      EXPECT_EQ(Evaluate(graph, sets, small).bytes, fewest_bytes);
    }
  }
}

TEST(ChainSearchTest, StopsWhenAskedTo) {
  const ValueGraph graph = Parallel(2, 40);
  const LowerSets sets = *AllLowerSets(graph, 10000, kGoOn);
  const ChainSearch search(&graph, &sets, [] { return true; });
  EXPECT_TRUE(search.Find(1000, Objective::kTime).empty());
  EXPECT_TRUE(search.Find(1000, Objective::kMemory).empty());
  EXPECT_EQ(search.SmallestBudget(), 0);
}

// As many lower sets as the largest graphs of the paper have, GoogLeNet with 27,358 and PSPNet with 12,533.
TEST(ChainSearchTest, GetsThroughTensOfThousandsOfSets) {
  const bool all = std::getenv("STR_LONG_TESTS") != nullptr;
  const ValueGraph graph = Modules(all ? 3 : 2, 4, all ? 9 : 6);
  const LowerSets sets = *AllLowerSets(graph, 50000, kGoOn);
  EXPECT_EQ(sets.size(), all ? 30001 : 4803);
  const ChainSearch search(&graph, &sets, kGoOn);
  const LowerSets pruned = PrunedLowerSets(graph);
  const ChainSearch approximate(&graph, &pruned, kGoOn);
  const int64_t values = static_cast<int64_t>(graph.size());
  for (const int64_t budget : {values / 2, values, 3 * values / 2}) {
    SCOPED_TRACE(testing::Message() << "budget " << budget);
    const int64_t known = approximate.KeptTime(approximate.Find(budget, Objective::kTime));
    const std::vector<int> fast = search.Find(budget, Objective::kTime);
    const std::vector<int> small = search.Find(budget, Objective::kMemory);
    ASSERT_FALSE(fast.empty());
    ASSERT_FALSE(small.empty());
    const Figures fast_figures = Evaluate(graph, sets, fast), small_figures = Evaluate(graph, sets, small);
    EXPECT_LE(fast_figures.budget, budget);
    EXPECT_LE(small_figures.budget, budget);
    EXPECT_GE(fast_figures.time, known);
    EXPECT_GE(fast_figures.time, small_figures.time);
    EXPECT_LE(small_figures.bytes, fast_figures.bytes);
  }
}

// 17 candidates, so 4 segments of 4 values each.
TEST(ChainSearchTest, ChenCutsAChainAtEqualBytes) {
  const ValueGraph graph = Parallel(1, 16);
  const LowerSets sets = *AllLowerSets(graph, 100, kGoOn);
  EXPECT_EQ(ChainSearch(&graph, &sets, kGoOn).ChenChain(), (std::vector<int>{5, 9, 13, 16}));
}

}  // namespace
}  // namespace str::strategies::kusumoto
