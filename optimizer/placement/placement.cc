#include "optimizer/placement/placement.h"

#include <algorithm>
#include <map>
#include <utility>

namespace str::optimizer {
namespace {

// Packings tried beyond the three greedy ones, each with the buffers at the top of the last one moved to the front.
constexpr int kImprovements = 40;

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

// Most bytes that are held at once: no arena can be smaller.
int64_t HighestLoad(const std::vector<Allocation>& allocations, const std::vector<int>& chosen) {
  int steps = 0;
  for (int i : chosen) steps = std::max(steps, allocations[i].last_step + 2);
  std::vector<int64_t> change(steps, 0);
  for (int i : chosen) {
    change[allocations[i].first_step] += allocations[i].rounded_bytes;
    change[allocations[i].last_step + 1] -= allocations[i].rounded_bytes;
  }
  int64_t load = 0, highest = 0;
  for (int64_t delta : change) {
    load += delta;
    highest = std::max(highest, load);
  }
  return highest;
}

// Gives each in turn the lowest offset that is free as long as it is held.
Placement PackInOrder(const std::vector<Allocation>& allocations, const std::vector<int>& order) {
  struct Placed {
    int64_t begin, end;
    int32_t first_step, last_step;
  };
  Placement placement;
  placement.offsets.assign(allocations.size(), kNotPlaced);
  // By offset.
  std::vector<Placed> placed;
  placed.reserve(order.size());
  for (int i : order) {
    const Allocation& allocation = allocations[i];
    int64_t offset = 0;
    for (const Placed& other : placed) {
      if (other.last_step < allocation.first_step || other.first_step > allocation.last_step) continue;
      if (other.begin >= offset + allocation.rounded_bytes) break;
      offset = std::max(offset, other.end);
    }
    const int64_t end = offset + allocation.rounded_bytes;
    const auto at = std::lower_bound(placed.begin(), placed.end(), offset,
                                     [](const Placed& other, int64_t begin) { return other.begin < begin; });
    placed.insert(at, {offset, end, allocation.first_step, allocation.last_step});
    placement.offsets[i] = offset;
    placement.arena_bytes = std::max(placement.arena_bytes, end);
  }
  return placement;
}

}  // namespace

Placement PlaceAllocations(const std::vector<Allocation>& allocations) {
  const std::vector<int> chosen = Placeable(allocations);
  const int64_t load = HighestLoad(allocations, chosen);
  const auto length = [&](int i) { return double(allocations[i].last_step - allocations[i].first_step + 1); };
  const auto size = [&](int i) { return double(allocations[i].rounded_bytes); };
  Placement best;
  std::vector<int> best_order;
  for (int key = 0; key < 3; ++key) {
    const auto value = [&](int i) { return key == 0 ? size(i) : key == 1 ? length(i) : size(i) * length(i); };
    std::vector<int> order = chosen;
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return value(a) > value(b); });
    Placement packed = PackInOrder(allocations, order);
    if (key > 0 && packed.arena_bytes >= best.arena_bytes) continue;
    best = std::move(packed);
    best_order = std::move(order);
    if (best.arena_bytes == load) return best;
  }
  std::vector<int> order = best_order;
  Placement last = best;
  for (int round = 0; round < kImprovements && best.arena_bytes > load; ++round) {
    std::stable_partition(order.begin(), order.end(),
                          [&](int i) { return last.offsets[i] + allocations[i].rounded_bytes == last.arena_bytes; });
    last = PackInOrder(allocations, order);
    if (last.arena_bytes < best.arena_bytes) best = last;
  }
  return best;
}

}  // namespace str::optimizer
