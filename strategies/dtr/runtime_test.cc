// Runs worked out by hand.
#include "strategies/dtr/runtime.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "strategies/dtr/replay.h"

namespace str::dtr {
namespace {

using ::testing::ElementsAre;

const HeuristicEntry* Named(absl::string_view name) { return *FindHeuristic(name); }

// constant 1 -> a 10 -> b 10 -> c 10 -> d(c, a) 10, everything released after its last use.
Trace Chain() {
  TraceBuilder builder;
  const int32_t x = builder.AddConstant(1);
  const int32_t a = builder.AddCall({x}, {{10}}, 100);
  const int32_t b = builder.AddCall({a}, {{10}}, 20);
  const int32_t c = builder.AddCall({b}, {{10}}, 30);
  builder.Release(b);
  const int32_t d = builder.AddCall({c, a}, {{10}}, 40);
  builder.Release(c);
  builder.Release(a);
  return *std::move(builder).Build({x, d});
}

std::vector<std::pair<int, int>> History(const RunResult& result) {
  std::vector<std::pair<int, int>> history;
  for (const RunEvent& event : result.history) history.emplace_back(event.kind, event.id);
  return history;
}

TEST(RuntimeTest, EvictsAndMakesAgain) {
  const Trace trace = Chain();
  EXPECT_EQ(UnlimitedPeak(trace), 31);
  RuntimeOptions options;
  options.record = true;
  options.budget_bytes = 31;
  EXPECT_EQ(Runtime(&trace, Named("h_LRU"), options).Run().rematerializations, 0);
  options.budget_bytes = 30;
  options.thrash_limit = 0;
  // c does not fit beside a and b; b is its input, so a goes. For d, a is made again where b was.
  const RunResult result = Runtime(&trace, Named("h_LRU"), options).Run();
  EXPECT_EQ(result.status, RunStatus::kOutOfMemory) << "c, a and d are 30, the constant 1 more";
  EXPECT_EQ(result.failed_op, 3);
  EXPECT_EQ(result.clock, 1 + 100 + 20 + 30 + 100);
  EXPECT_THAT(History(result), ElementsAre(std::pair(RunEvent::kCalled, 0), std::pair(RunEvent::kCalled, 1),
                                           std::pair(RunEvent::kEvicted, 1), std::pair(RunEvent::kCalled, 2),
                                           std::pair(RunEvent::kEvicted, 2), std::pair(RunEvent::kAgain, 0)));
}

TEST(RuntimeTest, GivesUpWhenRecomputingCostsTooMuch) {
  TraceBuilder builder;
  const int32_t x = builder.AddConstant(0);
  const int32_t a = builder.AddCall({x}, {{10}}, 100);
  const int32_t b = builder.AddCall({x}, {{10}}, 1);
  builder.AddCall({a}, {{0}}, 1);
  const Trace trace = *std::move(builder).Build({b});
  RuntimeOptions options;
  options.budget_bytes = 10;
  options.thrash_limit = 1.5;
  EXPECT_EQ(Runtime(&trace, Named("h_LRU"), options).Run().status, RunStatus::kThrash);
  options.thrash_limit = 2;
  // a again for the third operator, b again at the end because it is a result.
  const RunResult result = Runtime(&trace, Named("h_LRU"), options).Run();
  EXPECT_EQ(result.status, RunStatus::kDone);
  EXPECT_EQ(result.recompute_cost, 101);
  EXPECT_DOUBLE_EQ(Overhead(trace, result), 204. / 102);
}

TEST(RuntimeTest, AViewIsLostWithItsStorage) {
  TraceBuilder builder;
  const int32_t x = builder.AddConstant(0);
  const int32_t a = builder.AddCall({x}, {{10}}, 5);
  const int32_t view = builder.AddCall({a}, {{10, 0}}, 3);
  const int32_t b = builder.AddCall({x}, {{10}}, 1);
  builder.Release(b);
  const int32_t c = builder.AddCall({view}, {{1}}, 1);
  const Trace trace = *std::move(builder).Build({c});
  RuntimeOptions options;
  options.budget_bytes = 15;
  const RunResult result = Runtime(&trace, Named("h_LRU"), options).Run();
  EXPECT_EQ(result.status, RunStatus::kDone);
  EXPECT_EQ(result.recompute_cost, 8) << "the storage by the first operator, the view by the second";
}

TEST(RuntimeTest, OutputsThatAreThereAlreadyAreDroppedAtOnce) {
  TraceBuilder builder;
  const int32_t x = builder.AddConstant(0);
  const int32_t both = builder.AddCall({x}, {{10}, {4}}, 5);
  const int32_t b = builder.AddCall({both + 1}, {{6}}, 1);
  builder.Release(b);
  const int32_t c = builder.AddCall({both}, {{1}}, 1);
  const Trace trace = *std::move(builder).Build({both + 1, c});
  RuntimeOptions options;
  options.budget_bytes = 19;
  const RunResult result = Runtime(&trace, Named("h_size"), options).Run();
  EXPECT_EQ(result.status, RunStatus::kDone);
  EXPECT_EQ(result.recompute_cost, 5);
  EXPECT_EQ(result.peak_bytes, 18) << "4 once more beside the 4 that stayed";
}

TEST(RuntimeTest, PoliciesForWhatIsReleased) {
  const Trace trace = Chain();
  RuntimeOptions options;
  options.record = true;
  options.deallocation = Deallocation::kIgnore;
  EXPECT_EQ(Runtime(&trace, nullptr, options).Run().peak_bytes, 41);
  options.deallocation = Deallocation::kBanish;
  const RunResult banished = Runtime(&trace, nullptr, options).Run();
  EXPECT_EQ(banished.peak_bytes, 31);
  EXPECT_THAT(banished.history, ::testing::Contains(::testing::Field(&RunEvent::kind, RunEvent::kBanished)).Times(3));
}

TEST(RuntimeTest, WhatWasMadeFromABanishedStorageIsKept) {
  TraceBuilder builder;
  const int32_t x = builder.AddConstant(0);
  const int32_t a = builder.AddCall({x}, {{10}}, 1);
  const int32_t b = builder.AddCall({a}, {{10}}, 1);
  builder.Release(a);
  const int32_t c = builder.AddCall({x}, {{10}}, 1);
  const Trace trace = *std::move(builder).Build({b, c});
  RuntimeOptions options;
  options.budget_bytes = 20;
  options.deallocation = Deallocation::kBanish;
  EXPECT_EQ(Runtime(&trace, Named("h_LRU"), options).Run().status, RunStatus::kDone);
  options.budget_bytes = 19;
  EXPECT_EQ(Runtime(&trace, Named("h_LRU"), options).Run().status, RunStatus::kOutOfMemory);
}

TEST(RuntimeTest, KeptTensorsAndTemporariesCount) {
  TraceBuilder builder;
  const int32_t x = builder.AddConstant(1);
  const int32_t a = builder.AddCall({x}, {{10, kNone, true}}, 1);
  builder.Release(a);
  builder.AddCall({x}, {{10}}, 1, /*temporary_bytes=*/5);
  const Trace trace = *std::move(builder).Build({});
  RuntimeOptions options;
  options.budget_bytes = 26;
  EXPECT_EQ(Runtime(&trace, Named("h_LRU"), options).Run().peak_bytes, 26);
  options.budget_bytes = 25;
  EXPECT_EQ(Runtime(&trace, Named("h_LRU"), options).Run().status, RunStatus::kOutOfMemory);
}

TEST(RuntimeTest, WhatIsKeptGoesWhenDiscarded) {
  TraceBuilder builder;
  const int32_t x = builder.AddConstant(1);
  const int32_t a = builder.AddCall({x}, {{10, kNone, true}}, 1);
  builder.Release(a);
  builder.Discard(a);
  builder.AddCall({x}, {{10}}, 1);
  const Trace trace = *std::move(builder).Build({});
  RuntimeOptions options;
  options.budget_bytes = 11;
  const RunResult result = Runtime(&trace, Named("h_LRU"), options).Run();
  EXPECT_EQ(result.status, RunStatus::kDone);
  EXPECT_EQ(result.evictions, 0);
}

TEST(RuntimeTest, SmallStoragesAreLeftAloneIfAsked) {
  TraceBuilder builder;
  const int32_t x = builder.AddConstant(0);
  builder.AddCall({x}, {{1000}}, 1);
  builder.AddCall({x}, {{3}}, 1);
  builder.AddCall({x}, {{1000}}, 1);
  const Trace trace = *std::move(builder).Build({});
  RuntimeOptions options;
  options.budget_bytes = 1002;
  EXPECT_EQ(Runtime(&trace, Named("h_LRU"), options).Run().evictions, 2);
  // 3 is less than 1 % of the mean of 0, 1000 and 3.
  options.ignore_small = true;
  EXPECT_EQ(Runtime(&trace, Named("h_LRU"), options).Run().status, RunStatus::kOutOfMemory);
}

TEST(RuntimeTest, TiesGoToTheLastUnlessAsked) {
  TraceBuilder builder;
  const int32_t x = builder.AddConstant(0);
  builder.AddCall({x}, {{10}, {10}}, 1);
  builder.AddCall({x}, {{10}}, 1);
  const Trace trace = *std::move(builder).Build({});
  RuntimeOptions options;
  options.record = true;
  options.budget_bytes = 20;
  const auto evicted = [&] { return Runtime(&trace, Named("h_size"), options).Run().history[1].id; };
  EXPECT_EQ(evicted(), 2);
  options.first_of_ties = true;
  EXPECT_EQ(evicted(), 1);
}

TEST(RuntimeTest, ALongChainOfEvictedTensorsIsNoProblem) {
  constexpr int kLength = 200000;
  TraceBuilder builder;
  int32_t tensor = builder.AddConstant(1);
  for (int i = 0; i < kLength; ++i) {
    const int32_t next = builder.AddCall({tensor}, {{1}}, 1);
    if (i > 0) builder.Release(tensor);
    tensor = next;
  }
  // Its storage is the only one left; losing it means starting from the constant.
  builder.AddCall({0}, {{2}}, 1);
  const Trace trace = *std::move(builder).Build({tensor});
  RuntimeOptions options;
  options.budget_bytes = 3;
  const RunResult result = Runtime(&trace, Named("h_LRU"), options).Run();
  EXPECT_EQ(result.status, RunStatus::kDone);
  EXPECT_EQ(result.rematerializations, kLength);
}

TEST(RuntimeTest, OperatorsThatCostNothingThrashToo) {
  constexpr int kLength = 4000;
  TraceBuilder builder;
  const int32_t x = builder.AddConstant(0);
  const int32_t other = builder.AddCall({x}, {{2}}, 0);
  int32_t tensor = x;
  for (int i = 0; i < kLength; ++i) {
    const int32_t next = builder.AddCall({tensor}, {{1}}, 0);
    if (i > 0) builder.Release(tensor);
    tensor = next;
  }
  // Two do not fit beside one of the chain, so each time all of it is made again.
  for (int i = 0; i < 5000; ++i) builder.AddCall({i % 2 == 0 ? other : tensor}, {}, 0);
  const Trace trace = *std::move(builder).Build({});
  RuntimeOptions options;
  options.budget_bytes = 2;
  const RunResult result = Runtime(&trace, Named("h_LRU"), options).Run();
  EXPECT_EQ(result.status, RunStatus::kThrash);
  EXPECT_GT(result.rematerializations, 1000 * kLength);
}

TEST(HeuristicTest, AreFoundByName) {
  for (const char* name : {"h_DTR", "h_DTR_eq", "h_DTR_local", "h_LRU", "h_size", "h_MSPS", "h_rand", "h_DTR_unopt"}) {
    EXPECT_TRUE(FindHeuristic(name).ok()) << name;
  }
  for (const char* cost : {"e*", "eq", "local", "none"}) {
    for (const char* divisors : {"", "+size", "+stale", "+size+stale", "+stale+size"}) {
      EXPECT_TRUE(FindHeuristic(std::string(cost) + divisors).ok()) << cost << divisors;
    }
  }
  const absl::StatusOr<const HeuristicEntry*> none = FindHeuristic("h_best");
  EXPECT_EQ(none.status().code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(none.status().message()), ::testing::HasSubstr("h_DTR_eq, "));
}

}  // namespace
}  // namespace str::dtr
