// What compare and max-batch have in common besides their points: options, the file that they go on from, Ctrl-C.
#ifndef STR_OPTIMIZER_TOOLS_SWEEP_OPTIONS_H_
#define STR_OPTIMIZER_TOOLS_SWEEP_OPTIONS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "CLI/CLI.hpp"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "optimizer/sweep/row_store.h"
#include "optimizer/sweep/sweep.h"

namespace str::tools {

// For the help: what the launcher takes beside the options below.
inline constexpr absl::string_view kHtmlOption = "./str also takes --html=FILE: a page with the rows as a picture.\n";

struct SweepOptions {
  std::string json, time_limit = "60s", device, cost_unit;
  uint64_t seed = 0;
  int threads = 2;
  // Do not go on from the file, overwrite it.
  bool fresh = false;
};

void AddSweepOptions(CLI::App* command, SweepOptions* options);

// Works through the points, from where the file of `options` leaves off. `header` says what the sweep is about; what
// the options say is added to it, and `contents`, which tells the graphs and their costs (ContentsOf). Ctrl-C ends it
// early: see StopRequested().
absl::StatusOr<RowStore> RunSweep(const SweepOptions& options, RowStore::Header header, const std::string& contents,
                                  const std::vector<SweepPoint>& points);

}  // namespace str::tools

#endif  // STR_OPTIMIZER_TOOLS_SWEEP_OPTIONS_H_
