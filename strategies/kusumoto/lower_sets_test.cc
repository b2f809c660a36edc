#include "strategies/kusumoto/lower_sets.h"

#include "gtest/gtest.h"
#include "strategies/kusumoto/testing.h"

namespace str::strategies::kusumoto {
namespace {

const auto kGoOn = [] { return false; };

TEST(LowerSetsTest, AChainHasOnePerValueAndTheEmptySet) {
  const ValueGraph graph = Parallel(1, 70);
  const std::optional<LowerSets> all = AllLowerSets(graph, 1000, kGoOn);
  ASSERT_TRUE(all.has_value());
  EXPECT_EQ(all->size(), 71);
  EXPECT_EQ(PrunedLowerSets(graph).size(), 71);
  EXPECT_FALSE(all->Has(0, 0));
  EXPECT_TRUE(all->Has(70, 69));
  EXPECT_FALSE(all->Has(69, 69));
}

// Each of b branches of n values stops anywhere: (n + 1)^b; and all with the value that joins them.
TEST(LowerSetsTest, BranchesMultiply) {
  const ValueGraph graph = Parallel(3, 4);
  const std::optional<LowerSets> all = AllLowerSets(graph, 1000, kGoOn);
  ASSERT_TRUE(all.has_value());
  EXPECT_EQ(all->size(), 5 * 5 * 5 + 1);
  // The empty set, one per value.
  EXPECT_EQ(PrunedLowerSets(graph).size(), 1 + 12 + 1);
}

TEST(LowerSetsTest, EachHoldsWhatItsValuesAreMadeFromAndComesAfterItsParts) {
  const ValueGraph graph = RandomGraph(7, 14);
  const std::optional<LowerSets> all = AllLowerSets(graph, 100000, kGoOn);
  ASSERT_TRUE(all.has_value());
  for (int set = 0; set < all->size(); ++set) {
    for (size_t value = 0; value < graph.size(); ++value) {
      if (!all->Has(set, static_cast<int>(value))) continue;
      for (const int input : graph[value].inputs) EXPECT_TRUE(all->Has(set, input));
    }
    for (int later = set + 1; later < all->size(); ++later) EXPECT_FALSE(all->IsSubset(later, set));
    EXPECT_TRUE(all->IsSubset(0, set));
    EXPECT_TRUE(all->IsSubset(set, all->size() - 1));
  }
}

TEST(LowerSetsTest, GivesUpBeyondTheLimitAndWhenStopped) {
  EXPECT_FALSE(AllLowerSets(Parallel(3, 4), 125, kGoOn).has_value());
  EXPECT_TRUE(AllLowerSets(Parallel(3, 4), 126, kGoOn).has_value());
  EXPECT_FALSE(AllLowerSets(Parallel(3, 4), 1000, [] { return true; }).has_value());
}

TEST(LowerSetsTest, TwoEndsAreInTheWholeSet) {
  ValueGraph graph(3);
  graph[0].consumers = {1, 2};
  graph[1].inputs = graph[2].inputs = {0};
  const LowerSets pruned = PrunedLowerSets(graph);
  EXPECT_EQ(pruned.size(), 5);
  EXPECT_TRUE(pruned.Has(4, 1) && pruned.Has(4, 2));
}

}  // namespace
}  // namespace str::strategies::kusumoto
