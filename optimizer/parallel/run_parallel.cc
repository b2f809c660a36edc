#include "optimizer/parallel/run_parallel.h"

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

namespace str::optimizer {

void RunParallel(int jobs, int threads, const std::function<void(int)>& job) {
  std::atomic<int> next(0);
  const auto work = [&] {
    for (int i = next++; i < jobs; i = next++) job(i);
  };
  std::vector<std::thread> others;
  for (int i = 1; i < std::min(threads, jobs); ++i) others.emplace_back(work);
  work();
  for (std::thread& other : others) other.join();
}

}  // namespace str::optimizer
