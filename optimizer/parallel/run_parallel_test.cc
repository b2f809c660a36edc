#include "optimizer/parallel/run_parallel.h"

#include <vector>

#include "absl/synchronization/mutex.h"
#include "gtest/gtest.h"

namespace str::optimizer {
namespace {

TEST(RunParallelTest, EveryJobRunsOnce) {
  for (const int threads : {1, 2, 7}) {
    for (const int jobs : {0, 1, 2, 30}) {
      std::vector<int> runs(jobs, 0);
      RunParallel(jobs, threads, [&](int i) { ++runs[i]; });
      EXPECT_EQ(runs, std::vector<int>(jobs, 1)) << jobs << " jobs, " << threads << " threads";
    }
  }
}

TEST(RunParallelTest, OneThreadKeepsTheOrder) {
  std::vector<int> order;
  RunParallel(4, 1, [&](int i) { order.push_back(i); });
  EXPECT_EQ(order, (std::vector<int>{0, 1, 2, 3}));
}

// Hangs if the two are not run at the same time.
TEST(RunParallelTest, TwoThreadsRunTwoJobsAtATime) {
  absl::Mutex mutex;
  int inside = 0;
  RunParallel(2, 2, [&](int) {
    absl::MutexLock lock(&mutex);
    ++inside;
    mutex.Await(absl::Condition(
        +[](int* count) { return *count == 2; }, &inside));
  });
  EXPECT_EQ(inside, 2);
}

}  // namespace
}  // namespace str::optimizer
