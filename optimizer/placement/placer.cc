#include "optimizer/placement/placer.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "optimizer/placement/placement_search.h"

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
// Sizes between what is enough and what was found that the search tries, and the share of its work that each gets.
constexpr int kSizesBetween = 4;
constexpr int64_t kShareBetween = 8;

class Packer {
 public:
  explicit Packer(const std::vector<TimedBuffer>& buffers) : buffers_(buffers) { offsets_.resize(buffers.size()); }

  // Gives each in turn the lowest offset that is free as long as it is held. Returns the arena's size, or gives up once
  // that is more than `most_bytes`.
  int64_t Pack(const std::vector<int>& order, int64_t most_bytes) {
    placed_.clear();
    int64_t arena = 0;
    for (int i : order) {
      const TimedBuffer& buffer = buffers_[i];
      int64_t offset = 0;
      for (const Placed& other : placed_) {
        if (other.last_step < buffer.first_step || other.first_step > buffer.last_step) continue;
        if (other.begin >= offset + buffer.bytes) break;
        offset = std::max(offset, other.end);
      }
      const int64_t end = offset + buffer.bytes;
      const auto at = std::lower_bound(placed_.begin(), placed_.end(), offset,
                                       [](const Placed& other, int64_t begin) { return other.begin < begin; });
      placed_.insert(at, {offset, end, buffer.first_step, buffer.last_step});
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
  const std::vector<TimedBuffer>& buffers_;
  // By offset.
  std::vector<Placed> placed_;
  std::vector<int64_t> offsets_;
};

// What packings start from: the largest first, the longest held, both, the earliest.
enum class Key { kSize, kLength, kArea, kTime };

// Per buffer, positive: the highest is packed first.
std::vector<double> Priorities(const std::vector<TimedBuffer>& buffers, Key key) {
  int32_t steps = 0;
  for (const TimedBuffer& buffer : buffers) steps = std::max(steps, buffer.last_step + 1);
  std::vector<double> priorities;
  for (const TimedBuffer& buffer : buffers) {
    const double size = static_cast<double>(buffer.bytes);
    const double length = buffer.last_step - buffer.first_step + 1;
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
        priorities.push_back(2.0 * steps - buffer.first_step);
        break;
    }
  }
  return priorities;
}

std::vector<int> SortedBy(const std::vector<double>& priorities) {
  std::vector<int> order(priorities.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return priorities[a] > priorities[b]; });
  return order;
}

// Takes the packing if it is the smallest so far.
void KeepBest(int64_t arena, const std::vector<int64_t>& offsets, PlacedBuffers* best) {
  if (arena >= best->arena_bytes) return;
  best->arena_bytes = arena;
  best->offsets = offsets;
}

// Packs again and again, each time with what lay above `enough` further to the front. Worse packings on the way are
// gone through: what was hard to place becomes known only then.
void Improve(const std::vector<TimedBuffer>& buffers, int64_t enough, Key key, Packer* packer, PlacedBuffers* best) {
  const int64_t count = static_cast<int64_t>(buffers.size());
  const int64_t rounds = std::clamp(kImprovementWork / (count * count), kFewestImprovements, kMostImprovements);
  std::vector<double> priorities = Priorities(buffers, key);
  int64_t smallest = std::numeric_limits<int64_t>::max(), last_success = 0;
  std::vector<int> order(buffers.size());
  std::iota(order.begin(), order.end(), 0);
  for (int64_t round = 0; round < rounds && round - last_success < kMostFailures; ++round) {
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return priorities[a] > priorities[b]; });
    const int64_t arena = packer->Pack(order, std::numeric_limits<int64_t>::max());
    KeepBest(arena, packer->offsets(), best);
    if (best->arena_bytes <= enough) return;
    if (arena < smallest) {
      smallest = arena;
      last_success = round;
    }
    for (const int i : order) {
      if (packer->offsets()[i] + buffers[i].bytes > enough) priorities[i] *= kPromotion;
    }
  }
}

// Searches for a placement within `capacity` and keeps it.
SearchResult::Outcome SearchWithin(const std::vector<TimedBuffer>& buffers, int64_t capacity, int64_t work,
                                   PlacedBuffers* best) {
  const SearchResult found = SearchPlaces(buffers, capacity, work);
  if (found.outcome == SearchResult::kFound) {
    int64_t arena = 0;
    for (size_t i = 0; i < buffers.size(); ++i) arena = std::max(arena, found.offsets[i] + buffers[i].bytes);
    KeepBest(arena, found.offsets, best);
  }
  return found.outcome;
}

// Where `enough` was not reached, halves the way to it a few times.
void SearchFurther(const std::vector<TimedBuffer>& buffers, int64_t enough, int64_t work, PlacedBuffers* best) {
  const int64_t each = work / kShareBetween;
  const SearchResult::Outcome outcome = SearchWithin(buffers, enough, work - kSizesBetween * each, best);
  best->enough_is_impossible = outcome == SearchResult::kImpossible;
  int64_t too_small = enough;
  for (int size = 0; size < kSizesBetween && best->arena_bytes > too_small + 1; ++size) {
    const int64_t middle = too_small + (best->arena_bytes - too_small) / 2;
    if (SearchWithin(buffers, middle, each, best) != SearchResult::kFound) too_small = middle;
  }
}

}  // namespace

PlacedBuffers PlaceByTime(const std::vector<TimedBuffer>& buffers) {
  Packer packer(buffers);
  PlacedBuffers placed;
  placed.arena_bytes = packer.Pack(SortedBy(Priorities(buffers, Key::kTime)), std::numeric_limits<int64_t>::max());
  placed.offsets = packer.offsets();
  return placed;
}

PlacedBuffers PlaceBuffers(const std::vector<TimedBuffer>& buffers, int64_t enough_bytes, int64_t search_work) {
  PlacedBuffers best;
  if (buffers.empty()) return best;
  best.arena_bytes = std::numeric_limits<int64_t>::max();
  const int64_t enough = std::max(HighestLoad(buffers), enough_bytes);
  Packer packer(buffers);
  for (const Key key : {Key::kSize, Key::kLength, Key::kArea, Key::kTime}) {
    const int64_t arena = packer.Pack(SortedBy(Priorities(buffers, key)), best.arena_bytes);
    KeepBest(arena, packer.offsets(), &best);
  }
  for (const Key key : {Key::kTime, Key::kLength}) {
    if (best.arena_bytes > enough) Improve(buffers, enough, key, &packer, &best);
  }
  if (best.arena_bytes > enough) SearchFurther(buffers, enough, search_work, &best);
  return best;
}

}  // namespace str::optimizer
