#include "strategies/dtr/evicted_reach.h"

#include <limits>
#include <random>
#include <set>

#include "gtest/gtest.h"
#include "strategies/dtr/random_trace.h"

namespace str::dtr {
namespace {

int64_t BySearch(const State& state, int32_t storage, bool ancestors) {
  std::set<int32_t> found;
  std::vector<int32_t> stack = {storage};
  while (!stack.empty()) {
    const int32_t next = stack.back();
    stack.pop_back();
    for (const int32_t near : ancestors ? state.parents(next) : state.children(next)) {
      if (state.storage(near).evicted && found.insert(near).second) stack.push_back(near);
    }
  }
  int64_t sum = 0;
  for (const int32_t id : found) sum += state.storage(id).cost;
  return sum;
}

TEST(EvictedReachTest, SumsAreThoseOfASearch) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937_64 generator(seed);
    const Trace trace = RandomTrace(seed, 40);
    State state(trace);
    for (int32_t id = 0; id < state.storage_count(); ++id) {
      state.storage(id).resident = true;
      state.storage(id).cost = static_cast<int64_t>(generator() % 100);
    }
    for (const Dependency& dependency : trace.dependencies) state.AddDependency(dependency);
    EvictedReach ancestors(&state, EvictedReach::kAncestors), descendants(&state, EvictedReach::kDescendants);
    for (int round = 0; round < 300; ++round) {
      const int32_t changed = static_cast<int32_t>(generator() % state.storage_count());
      StorageState& storage = state.storage(changed);
      std::swap(storage.resident, storage.evicted);
      for (EvictedReach* reach : {&ancestors, &descendants}) {
        storage.evicted ? reach->Evicted(changed) : reach->Returned(changed);
      }
      for (int i = 0; i < 5; ++i) {
        const int32_t asked = static_cast<int32_t>(generator() % state.storage_count());
        if (!state.storage(asked).resident) continue;
        const int64_t up = BySearch(state, asked, true), down = BySearch(state, asked, false);
        const int64_t enough = static_cast<int64_t>(generator() % 400);
        const int64_t roughly = ancestors.Sum(asked, enough);
        EXPECT_LE(roughly, up);
        EXPECT_TRUE(roughly == up || roughly > enough);
        EXPECT_EQ(descendants.Sum(asked, std::numeric_limits<int64_t>::max()), down);
      }
    }
  }
}

}  // namespace
}  // namespace str::dtr
