#include "optimizer/sweep/sweep.h"

#include <cstdio>
#include <thread>
#include <utility>

#include "absl/synchronization/mutex.h"
#include "absl/time/clock.h"

namespace str::tools {

absl::Status RunSweep(const std::vector<SweepPoint>& points, int threads, const std::atomic<bool>& stop,
                      RowStore* store) {
  std::vector<const SweepPoint*> open;
  for (const SweepPoint& point : points) {
    if (!store->Has(point.name)) open.push_back(&point);
  }
  const absl::Time start = absl::Now();
  absl::Mutex mutex;
  absl::Status failure;
  size_t next = 0, done = points.size() - open.size();
  if (done > 0) std::fprintf(stderr, "str: %zu of %zu points are there already\n", done, points.size());
  const auto work = [&] {
    while (true) {
      const SweepPoint* point = nullptr;
      {
        absl::MutexLock lock(&mutex);
        if (next == open.size() || stop || !failure.ok()) return;
        point = open[next++];
      }
      std::string summary;
      const JsonObject row = point->run(&summary);
      absl::MutexLock lock(&mutex);
      if (stop) return;
      absl::Status status = store->Add(point->name, row);
      if (!status.ok()) failure = std::move(status);
      std::fprintf(stderr, "str: %.1f s: %zu of %zu: %s: %s\n", absl::ToDoubleSeconds(absl::Now() - start), ++done,
                   points.size(), point->name.c_str(), summary.c_str());
    }
  };
  std::vector<std::thread> workers;
  for (int i = 1; i < threads; ++i) workers.emplace_back(work);
  work();
  for (std::thread& worker : workers) worker.join();
  return failure;
}

}  // namespace str::tools
