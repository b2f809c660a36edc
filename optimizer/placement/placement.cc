#include "optimizer/placement/placement.h"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

namespace str::optimizer {
namespace {

// How many packings a start may be improved by: fewer where each takes longer, and no more than this many in a row
// without success.
constexpr int64_t kImprovementWork = 2000000000;
constexpr int64_t kFewestImprovements = 16;
constexpr int64_t kMostImprovements = 1000;
constexpr int64_t kMostFailures = 150;
// What lies too high goes this much further to the front.
constexpr double kPromotion = 1.5;
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

// What packings start from: the largest first, the longest held, both, the earliest.
enum class Key { kSize, kLength, kArea, kTime };

// Per allocation, positive: the highest is packed first.
std::vector<double> Priorities(const std::vector<Allocation>& allocations, Key key) {
  int32_t steps = 0;
  for (const Allocation& allocation : allocations) steps = std::max(steps, allocation.last_step + 1);
  std::vector<double> priorities;
  for (const Allocation& allocation : allocations) {
    const double size = static_cast<double>(allocation.rounded_bytes);
    const double length = allocation.last_step - allocation.first_step + 1;
    switch (key) {
      case Key::kSize:
        priorities.push_back(size);
        break;
      case Key::kLength:
        priorities.push_back(length);
        break;
      case Key::kArea:
        priorities.push_back(size * length);
        break;
      case Key::kTime:
        priorities.push_back(2.0 * steps - allocation.first_step);
        break;
    }
  }
  return priorities;
}

void SortBy(const std::vector<double>& priorities, std::vector<int>* order) {
  std::stable_sort(order->begin(), order->end(), [&](int a, int b) { return priorities[a] > priorities[b]; });
}

// Takes the packing if it is the smallest so far.
bool KeepBest(int64_t arena, const Packer& packer, Placement* best) {
  if (arena >= best->arena_bytes) return false;
  best->arena_bytes = arena;
  best->offsets = packer.offsets();
  return true;
}

// Packs again and again, each time with what lay above `enough` further to the front. Worse packings on the way are
// gone through: what was hard to place becomes known only then.
void Improve(const std::vector<Allocation>& allocations, int64_t enough, Key key, std::vector<int> order,
             Packer* packer, Placement* best) {
  const int64_t count = static_cast<int64_t>(order.size());
  const int64_t rounds = std::clamp(kImprovementWork / (count * count), kFewestImprovements, kMostImprovements);
  std::vector<double> priorities = Priorities(allocations, key);
  int64_t smallest = std::numeric_limits<int64_t>::max(), last_success = 0;
  for (int64_t round = 0; round < rounds && round - last_success < kMostFailures; ++round) {
    SortBy(priorities, &order);
    const int64_t arena = packer->Pack(order, std::numeric_limits<int64_t>::max());
    KeepBest(arena, *packer, best);
    if (best->arena_bytes <= enough) return;
    if (arena < smallest) {
      smallest = arena;
      last_success = round;
    }
    for (const int i : order) {
      if (packer->offsets()[i] + allocations[i].rounded_bytes > enough) priorities[i] *= kPromotion;
    }
  }
}

void PackLarge(const std::vector<Allocation>& allocations, const std::vector<int>& chosen, int64_t enough_bytes,
               Placement* best) {
  best->arena_bytes = std::numeric_limits<int64_t>::max();
  const int64_t enough = std::max(HighestLoad(allocations, chosen), enough_bytes);
  Packer packer(allocations);
  for (const Key key : {Key::kSize, Key::kLength, Key::kArea, Key::kTime}) {
    std::vector<int> order = chosen;
    SortBy(Priorities(allocations, key), &order);
    KeepBest(packer.Pack(order, best->arena_bytes), packer, best);
  }
  for (const Key key : {Key::kTime, Key::kLength}) {
    if (best->arena_bytes > enough) Improve(allocations, enough, key, chosen, &packer, best);
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
  std::vector<int> small(large_end, chosen.end());
  chosen.erase(large_end, chosen.end());
  SortBy(Priorities(allocations, Key::kTime), &small);
  Packer small_packer(allocations);
  const int64_t small_bytes = small_packer.Pack(small, std::numeric_limits<int64_t>::max());
  PackLarge(allocations, chosen, std::max<int64_t>(0, enough_bytes - small_bytes), &best);
  for (const int i : small) best.offsets[i] = best.arena_bytes + small_packer.offsets()[i];
  best.arena_bytes += small_bytes;
  return best;
}

}  // namespace str::optimizer
