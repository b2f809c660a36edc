// What compare and max-batch have in common besides their points: options, the file that they go on from, Ctrl-C.
#ifndef STR_OPTIMIZER_TOOLS_SWEEP_OPTIONS_H_
#define STR_OPTIMIZER_TOOLS_SWEEP_OPTIONS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "CLI/CLI.hpp"
#include "absl/status/statusor.h"
#include "optimizer/sweep/row_store.h"
#include "optimizer/sweep/sweep.h"

namespace str::tools {

struct SweepOptions {
  std::string json, time_limit = "60s", device, cost_unit;
  uint64_t seed = 0;
  int threads = 2;
};

void AddSweepOptions(CLI::App* command, SweepOptions* options);

// Works through the points, from where the file of `options` leaves off. `header` says what the sweep is about; what
// the options say is added to it. Ctrl-C ends it early: see StopRequested().
absl::StatusOr<RowStore> RunSweep(const SweepOptions& options, RowStore::Header header,
                                  const std::vector<SweepPoint>& points);

}  // namespace str::tools

#endif  // STR_OPTIMIZER_TOOLS_SWEEP_OPTIONS_H_
