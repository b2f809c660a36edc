#include "optimizer/placement/check_places.h"

#include <algorithm>
#include <vector>

#include "absl/strings/str_cat.h"

namespace str::optimizer {
namespace {

struct Placed {
  const Allocation* allocation;
  int64_t offset;
};

}  // namespace

absl::Status CheckPlaces(const Graph& graph, const Program& program, const Simulation& simulation,
                         const config::StrategyFile& strategy) {
  std::vector<std::vector<const Allocation*>> made(program.size());
  for (const Allocation& allocation : simulation.allocations) made[allocation.first_step].push_back(&allocation);
  std::vector<Placed> placed;
  for (int step = 0; step < strategy.step_size(); ++step) {
    std::vector<const Allocation*>& open = made[step];
    for (const config::Place& place : strategy.step(step).place()) {
      const auto found = std::find_if(open.begin(), open.end(), [&](const Allocation* allocation) {
        return allocation->rounded_bytes == place.bytes();
      });
      if (found == open.end()) {
        return absl::InvalidArgumentError(absl::StrCat(StepName(graph, program, step), ": has a place of ",
                                                       place.bytes(), " bytes but allocates no such buffer"));
      }
      placed.push_back({*found, place.offset()});
      open.erase(found);
    }
  }
  std::sort(placed.begin(), placed.end(), [](const Placed& a, const Placed& b) { return a.offset < b.offset; });
  for (size_t i = 0; i < placed.size(); ++i) {
    const Allocation& a = *placed[i].allocation;
    for (size_t j = i + 1; j < placed.size() && placed[j].offset < placed[i].offset + a.rounded_bytes; ++j) {
      const Allocation& b = *placed[j].allocation;
      if (a.last_step < b.first_step || b.last_step < a.first_step) continue;
      return absl::InvalidArgumentError(absl::StrCat("places overlap: those of ",
                                                     StepName(graph, program, a.first_step), " and of ",
                                                     StepName(graph, program, b.first_step)));
    }
  }
  return absl::OkStatus();
}

}  // namespace str::optimizer
