#include "optimizer/tools/sweep_options.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "optimizer/tools/command.h"
#include "optimizer/tools/interrupt.h"

namespace str::tools {

void AddSweepOptions(CLI::App* command, SweepOptions* options) {
  command->add_option("--json", options->json,
                      "Write all rows to this file after each; if it is there, go on from it. - for stdout");
  command->add_flag("--fresh", options->fresh, "Overwrite the file of --json instead of going on from it");
  command->add_option("--time-limit", options->time_limit, "Per plan")->capture_default_str();
  command->add_option("--seed", options->seed, "Of random choices")->capture_default_str();
  command->add_option("--threads", options->threads, "Points at the same time")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  command->add_option("--device", options->device, "Device the plans are for: a name of \"str devices\" or a file");
  AddCostUnitOption(command, &options->cost_unit);
}

absl::StatusOr<RowStore> RunSweep(const SweepOptions& options, RowStore::Header header, const std::string& contents,
                                  const std::vector<SweepPoint>& points) {
  header.insert(header.end(), {{"device", options.device},
                               {"cost_unit", options.cost_unit},
                               {"time_limit", options.time_limit},
                               {"seed", absl::StrCat(options.seed)},
                               {"contents", contents}});
  RowStore store(options.json, std::move(header));
  if (absl::Status status = options.fresh ? store.StartAnew() : store.Resume(); !status.ok()) return status;
  StopOnInterrupt();
  if (absl::Status status = RunSweep(points, options.threads, StopRequested(), &store); !status.ok()) return status;
  if (StopRequested()) std::fputs("str: interrupted; the same command with --json=FILE goes on from there\n", stderr);
  return store;
}

}  // namespace str::tools
