#include "strategies/checkmate/revolve.h"

#include <algorithm>
#include <limits>

namespace str::strategies {
namespace {

// How many steps can be reversed with so many snapshots if none runs forward more than `repeats` times:
// binomial(snapshots + repeats, snapshots), or `enough` if it is more.
int64_t MostSteps(int64_t snapshots, int64_t repeats, int64_t enough) {
  int64_t product = 1;
  for (int64_t i = 1; i <= std::min(snapshots, repeats); ++i) {
    product = product * (std::max(snapshots, repeats) + i) / i;
    if (product >= enough) return enough;
  }
  return product;
}

void AddSnapshots(int first, int last, int snapshots, std::vector<Snapshot>* taken) {
  const int steps = last - first;
  if (steps <= 1 || snapshots <= 1) return;
  int best = 1;
  int64_t least = -1;
  for (int advance = 1; advance < steps; ++advance) {
    const int64_t total = advance + RevolveSteps(advance, snapshots) + RevolveSteps(steps - advance, snapshots - 1);
    if (least >= 0 && total >= least) continue;
    least = total;
    best = advance;
  }
  taken->push_back({first + best, last - 1});
  AddSnapshots(first + best, last, snapshots - 1, taken);
  AddSnapshots(first, first + best, snapshots, taken);
}

}  // namespace

int64_t RevolveSteps(int64_t steps, int64_t snapshots) {
  if (steps <= 1) return 0;
  int64_t repeats = 1;
  while (MostSteps(snapshots, repeats, steps) < steps) ++repeats;
  // Every step runs so often, less what those save that need fewer.
  return repeats * steps - MostSteps(snapshots + 1, repeats - 1, std::numeric_limits<int64_t>::max());
}

std::vector<Snapshot> RevolveSnapshots(int steps, int snapshots) {
  std::vector<Snapshot> taken;
  AddSnapshots(0, steps, snapshots, &taken);
  return taken;
}

}  // namespace str::strategies
