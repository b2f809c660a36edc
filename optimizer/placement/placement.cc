#include "optimizer/placement/placement.h"

#include <algorithm>
#include <map>
#include <utility>

#include "optimizer/placement/placer.h"

namespace str::optimizer {
namespace {

// Of the most bytes held at once: what is smaller is packed by itself.
constexpr int64_t kSmallShare = 3000;
// Of the placement search, where packing is not enough: about half a second.
constexpr int64_t kSearchWork = 60000000;

// Which allocations get a place. A step's places are told apart by their size alone, so if one buffer of a size gets
// none, neither do the step's others of that size.
std::vector<int> Placeable(const std::vector<Allocation>& allocations) {
  std::map<std::pair<int32_t, int64_t>, bool> refused;
  for (const Allocation& allocation : allocations) {
    if (allocation.outlives_step) refused[{allocation.first_step, allocation.rounded_bytes}] = true;
  }
  std::vector<int> chosen;
  for (size_t i = 0; i < allocations.size(); ++i) {
    const Allocation& allocation = allocations[i];
    if (allocation.rounded_bytes < kSmallestPlacedBytes || allocation.kind == Allocation::kTemporary) continue;
    if (refused.count({allocation.first_step, allocation.rounded_bytes}) > 0) continue;
    chosen.push_back(static_cast<int>(i));
  }
  return chosen;
}

std::vector<TimedBuffer> BuffersOf(const std::vector<Allocation>& allocations, const std::vector<int>& chosen) {
  std::vector<TimedBuffer> buffers;
  for (const int i : chosen) {
    buffers.push_back({allocations[i].first_step, allocations[i].last_step, allocations[i].rounded_bytes});
  }
  return buffers;
}

}  // namespace

Placement PlaceAllocations(const std::vector<Allocation>& allocations, int64_t enough_bytes) {
  std::vector<int> chosen = Placeable(allocations);
  // Many small ones among the large make packing slow and no better.
  const int64_t least = HighestLoad(BuffersOf(allocations, chosen)) / kSmallShare;
  const auto large_end =
      std::stable_partition(chosen.begin(), chosen.end(), [&](int i) { return allocations[i].rounded_bytes >= least; });
  const std::vector<int> small(large_end, chosen.end());
  chosen.erase(large_end, chosen.end());
  const PlacedBuffers small_places = PlaceByTime(BuffersOf(allocations, small));
  const PlacedBuffers places = PlaceBuffers(BuffersOf(allocations, chosen),
                                            std::max<int64_t>(0, enough_bytes - small_places.arena_bytes), kSearchWork);
  Placement placement;
  placement.arena_bytes = places.arena_bytes + small_places.arena_bytes;
  placement.offsets.assign(allocations.size(), kNotPlaced);
  for (size_t i = 0; i < chosen.size(); ++i) placement.offsets[chosen[i]] = places.offsets[i];
  for (size_t i = 0; i < small.size(); ++i) {
    placement.offsets[small[i]] = places.arena_bytes + small_places.offsets[i];
  }
  return placement;
}

}  // namespace str::optimizer
