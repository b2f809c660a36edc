// Random traces with every heuristic and policy: the history of each run is checked by independent bookkeeping.
#include <algorithm>
#include <set>
#include <vector>

#include "gtest/gtest.h"
#include "strategies/dtr/heuristic.h"
#include "strategies/dtr/random_trace.h"
#include "strategies/dtr/replay.h"
#include "strategies/dtr/runtime.h"

namespace str::dtr {
namespace {

// Follows a history: what is defined and resident, how much memory is used, what time it is.
class Follower {
 public:
  explicit Follower(const Trace& trace) : trace_(trace) {
    for (size_t tensor = 0; tensor < trace.tensors.size(); ++tensor) {
      if (trace.tensors[tensor].op != kNone) continue;
      defined_.insert(static_cast<int32_t>(tensor));
      resident_.insert(trace.tensors[tensor].storage);
    }
    peak_ = Used();
  }

  void Follow(const RunResult& result) {
    for (const RunEvent& event : result.history) {
      switch (event.kind) {
        case RunEvent::kCalled:
          EXPECT_TRUE(called_.insert(event.id).second);
          Run(trace_.ops[event.id]);
          break;
        case RunEvent::kAgain:
          EXPECT_EQ(called_.count(event.id), 1);
          Run(trace_.ops[event.id]);
          break;
        case RunEvent::kEvicted:
          EXPECT_EQ(resident_.count(event.id), 1);
          Lose(event.id);
          break;
        case RunEvent::kBanished:
          EXPECT_TRUE(banished_.insert(event.id).second);
          Lose(event.id);
          break;
      }
    }
  }

  bool Defined(int32_t tensor) const { return defined_.count(tensor) == 1; }
  int64_t peak() const { return peak_; }
  int64_t clock() const { return clock_; }

 private:
  void Run(const TraceOp& op) {
    for (const int32_t input : trace_.InputsOf(op)) EXPECT_TRUE(Defined(input)) << "tensor " << input;
    clock_ += op.cost;
    peak_ = std::max(peak_, Used() + op.output_bytes);
    for (int32_t output = op.outputs_begin; output < op.outputs_end; ++output) {
      const int32_t storage = trace_.tensors[output].storage;
      if (banished_.count(storage) == 1) continue;
      defined_.insert(output);
      resident_.insert(storage);
    }
  }

  void Lose(int32_t storage) {
    resident_.erase(storage);
    for (auto i = defined_.begin(); i != defined_.end();) {
      i = trace_.tensors[*i].storage == storage ? defined_.erase(i) : std::next(i);
    }
  }

  int64_t Used() const {
    int64_t used = 0;
    for (const int32_t storage : resident_) used += trace_.storage_bytes[storage];
    return used;
  }

  const Trace& trace_;
  std::set<int32_t> defined_, resident_, banished_, called_;
  int64_t peak_ = 0;
  int64_t clock_ = 1;
};

void CheckRun(const Trace& trace, const HeuristicEntry& heuristic, const RuntimeOptions& options) {
  const RunResult result = Runtime(&trace, &heuristic, options).Run();
  Follower follower(trace);
  follower.Follow(result);
  EXPECT_EQ(follower.clock(), result.clock);
  EXPECT_EQ(follower.peak(), result.peak_bytes);
  EXPECT_LE(result.peak_bytes, options.budget_bytes);
  EXPECT_EQ(result.failed_op == kNone, result.status == RunStatus::kDone);
  if (result.status == RunStatus::kDone) {
    EXPECT_EQ(result.clock, 1 + trace.baseline + result.recompute_cost);
    for (const int32_t tensor : trace.results) EXPECT_TRUE(follower.Defined(tensor));
  }
  const RunResult repeated = Runtime(&trace, &heuristic, options).Run();
  EXPECT_EQ(repeated.clock, result.clock);
  EXPECT_EQ(repeated.history.size(), result.history.size());
}

class RandomRunTest : public ::testing::TestWithParam<HeuristicEntry> {};

TEST_P(RandomRunTest, KeepsItsBooks) {
  int done = 0, given_up = 0;
  for (uint64_t seed = 1; seed <= 12; ++seed) {
    const Trace trace = RandomTrace(seed, 60);
    const int64_t peak = UnlimitedPeak(trace);
    for (const Deallocation deallocation : {Deallocation::kEager, Deallocation::kBanish, Deallocation::kIgnore}) {
      for (const int percent : {30, 60, 80, 100, 120}) {
        SCOPED_TRACE(testing::Message() << "seed " << seed << ", policy " << static_cast<int>(deallocation) << ", "
                                        << percent << " %");
        RuntimeOptions options;
        options.budget_bytes = peak * percent / 100;
        options.deallocation = deallocation;
        options.seed = seed;
        options.record = true;
        options.sample = seed % 3 == 0;
        options.ignore_small = seed % 4 == 0;
        options.first_of_ties = seed % 2 == 0;
        CheckRun(trace, GetParam(), options);
        options.record = false;
        (Runtime(&trace, &GetParam(), options).Run().status == RunStatus::kDone ? done : given_up) += 1;
      }
    }
  }
  // Both ends are reached, or the test would say little.
  EXPECT_GT(done, 20);
  EXPECT_GT(given_up, 5);
}

INSTANTIATE_TEST_SUITE_P(All, RandomRunTest, ::testing::ValuesIn(AllHeuristics()), [](const auto& info) {
  std::string name = info.param.name;
  for (char& c : name) c = c == '+' ? '_' : c == '*' ? 'x' : c;
  return name;
});

}  // namespace
}  // namespace str::dtr
