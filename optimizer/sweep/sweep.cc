#include "optimizer/sweep/sweep.h"

#include <cstdio>
#include <utility>

#include "absl/synchronization/mutex.h"
#include "absl/time/clock.h"
#include "optimizer/parallel/run_parallel.h"

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
  size_t done = points.size() - open.size();
  if (done > 0) std::fprintf(stderr, "str: %zu of %zu points are there already\n", done, points.size());
  optimizer::RunParallel(static_cast<int>(open.size()), threads, [&](int i) {
    const SweepPoint& point = *open[i];
    {
      absl::MutexLock lock(&mutex);
      if (stop || !failure.ok()) return;
    }
    std::string summary;
    const JsonObject row = point.run(&summary);
    absl::MutexLock lock(&mutex);
    if (stop) return;
    absl::Status status = store->Add(point.name, row);
    if (!status.ok()) failure = std::move(status);
    std::fprintf(stderr, "str: %.1f s: %zu of %zu: %s: %s\n", absl::ToDoubleSeconds(absl::Now() - start), ++done,
                 points.size(), point.name.c_str(), summary.c_str());
  });
  return failure;
}

}  // namespace str::tools
