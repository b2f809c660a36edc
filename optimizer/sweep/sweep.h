// Works through the points of a sweep on several threads, each point by itself, with a line of progress after each.
#ifndef STR_OPTIMIZER_SWEEP_SWEEP_H_
#define STR_OPTIMIZER_SWEEP_SWEEP_H_

#include <atomic>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "optimizer/sweep/row_store.h"
#include "optimizer/tools/json.h"

namespace str::tools {

struct SweepPoint {
  // Unique within the sweep.
  std::string name;
  // Makes its row, and a few words on it for people. Called on any thread, at the same time as others.
  std::function<JsonObject(std::string* summary)> run;
};

// Points that the store has already are left out. Told to stop, it begins no further point and drops the rows of those
// that were under way: they would be what was found so far, not what would have been found. Progress goes to stderr.
absl::Status RunSweep(const std::vector<SweepPoint>& points, int threads, const std::atomic<bool>& stop,
                      RowStore* store);

}  // namespace str::tools

#endif  // STR_OPTIMIZER_SWEEP_SWEEP_H_
