#include "optimizer/placement/placement.h"

#include <algorithm>
#include <limits>
#include <map>
#include <random>
#include <utility>

namespace str::optimizer {
namespace {

// How many packings a start may be improved by: fewer where each takes longer.
constexpr int64_t kImprovementWork = 200000000;
constexpr int64_t kFewestImprovements = 8;
constexpr int64_t kMostImprovements = 1000;
// Of the most bytes held at once: what is smaller is packed by itself.
constexpr int64_t kSmallShare = 3000;

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

class Packer {
 public:
  explicit Packer(const std::vector<Allocation>& allocations) : allocations_(allocations) {
    offsets_.assign(allocations.size(), kNotPlaced);
  }

  // Gives each in turn the lowest offset that is free as long as it is held. Returns the arena's size, or gives up once
  // that is more than `most_bytes`.
  int64_t Pack(const std::vector<int>& order, int64_t most_bytes) {
    placed_.clear();
    int64_t arena = 0;
    for (int i : order) {
      const Allocation& allocation = allocations_[i];
      int64_t offset = 0;
      for (const Placed& other : placed_) {
        if (other.last_step < allocation.first_step || other.first_step > allocation.last_step) continue;
        if (other.begin >= offset + allocation.rounded_bytes) break;
        offset = std::max(offset, other.end);
      }
      const int64_t end = offset + allocation.rounded_bytes;
      const auto at = std::lower_bound(placed_.begin(), placed_.end(), offset,
                                       [](const Placed& other, int64_t begin) { return other.begin < begin; });
      placed_.insert(at, {offset, end, allocation.first_step, allocation.last_step});
      offsets_[i] = offset;
      arena = std::max(arena, end);
      if (arena > most_bytes) return arena;
    }
    return arena;
  }

  // Of the last packing.
  const std::vector<int64_t>& offsets() const { return offsets_; }

 private:
  struct Placed {
    int64_t begin, end;
    int32_t first_step, last_step;
  };
  const std::vector<Allocation>& allocations_;
  // By offset.
  std::vector<Placed> placed_;
  std::vector<int64_t> offsets_;
};

// The four orders that packings start from.
std::vector<int> StartOrder(const std::vector<Allocation>& allocations, const std::vector<int>& chosen, int key) {
  const auto value = [&](int i) {
    const double size = static_cast<double>(allocations[i].rounded_bytes);
    const double length = allocations[i].last_step - allocations[i].first_step + 1;
    return key == 0 ? size : key == 1 ? length : key == 2 ? size * length : -allocations[i].first_step;
  };
  std::vector<int> order = chosen;
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return value(a) > value(b); });
  return order;
}

// Moves buffers, mostly those that reach above `load`, to other positions of the order, and keeps what is not worse.
void Improve(const std::vector<Allocation>& allocations, int64_t load, int64_t enough, std::vector<int> order,
             Packer* packer, Placement* best) {
  const int64_t count = static_cast<int64_t>(order.size());
  const int64_t rounds = std::clamp(kImprovementWork / (count * count), kFewestImprovements, kMostImprovements);
  std::mt19937 random(1);
  int64_t arena = packer->Pack(order, std::numeric_limits<int64_t>::max());
  std::vector<int64_t> offsets = packer->offsets();
  const auto keep_best = [&] {
    if (arena >= best->arena_bytes) return;
    best->arena_bytes = arena;
    best->offsets = offsets;
  };
  keep_best();
  std::vector<int> high, trial;
  for (int64_t round = 0; round < rounds && best->arena_bytes > enough; ++round) {
    high.clear();
    for (int position = 0; position < count; ++position) {
      const int i = order[position];
      if (offsets[i] + allocations[i].rounded_bytes > load) high.push_back(position);
    }
    const bool any = high.empty() || random() % 4 == 0;
    const int from = any ? static_cast<int>(random() % count) : high[random() % high.size()];
    const int to = static_cast<int>(random() % (random() % 2 == 0 ? count : std::max(1, from)));
    trial = order;
    trial.erase(trial.begin() + from);
    trial.insert(trial.begin() + to, order[from]);
    const int64_t size = packer->Pack(trial, arena);
    if (size > arena) continue;
    arena = size;
    order.swap(trial);
    offsets = packer->offsets();
    keep_best();
  }
}

void PackLarge(const std::vector<Allocation>& allocations, const std::vector<int>& chosen, int64_t enough_bytes,
               Placement* best) {
  best->arena_bytes = std::numeric_limits<int64_t>::max();
  const int64_t load = HighestLoad(allocations, chosen);
  const int64_t enough = std::max(load, enough_bytes);
  Packer packer(allocations);
  std::vector<std::vector<int>> starts;
  for (int key = 0; key < 4; ++key) {
    starts.push_back(StartOrder(allocations, chosen, key));
    const int64_t arena = packer.Pack(starts.back(), best->arena_bytes);
    if (arena >= best->arena_bytes) continue;
    best->arena_bytes = arena;
    best->offsets = packer.offsets();
  }
  for (std::vector<int>& start : starts) {
    if (best->arena_bytes <= enough) break;
    Improve(allocations, load, enough, std::move(start), &packer, best);
  }
}

}  // namespace

Placement PlaceAllocations(const std::vector<Allocation>& allocations, int64_t enough_bytes) {
  std::vector<int> chosen = Placeable(allocations);
  Placement best;
  best.offsets.assign(allocations.size(), kNotPlaced);
  if (chosen.empty()) return best;
  // Many small ones among the large make packing slow and no better.
  const int64_t least = HighestLoad(allocations, chosen) / kSmallShare;
  const auto large_end =
      std::stable_partition(chosen.begin(), chosen.end(), [&](int i) { return allocations[i].rounded_bytes >= least; });
  const std::vector<int> small(large_end, chosen.end());
  chosen.erase(large_end, chosen.end());
  Packer small_packer(allocations);
  const int64_t small_bytes = small_packer.Pack(StartOrder(allocations, small, 3), std::numeric_limits<int64_t>::max());
  PackLarge(allocations, chosen, std::max<int64_t>(0, enough_bytes - small_bytes), &best);
  for (const int i : small) best.offsets[i] = best.arena_bytes + small_packer.offsets()[i];
  best.arena_bytes += small_bytes;
  return best;
}

}  // namespace str::optimizer
