#include "optimizer/placement/placement_search.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <numeric>
#include <unordered_set>
#include <utility>

#include "optimizer/placement/search_order.h"

namespace str::optimizer {
namespace {

// A start gets this many times the work of a dive without dead ends, and as much again after each so many starts. Of 3,
// 4, 6 and 12 dives, 4 solved most of MiniMalloc's instances in shuffled orders.
constexpr int64_t kDives = 4;
constexpr int64_t kStartsPerRound = 32;

// The search is as deep as there are buffers, and each level holds a list of those that are left.
constexpr size_t kMostBuffers = 4000;
// States that are remembered as impossible, about 40 bytes each; without one of them the search only takes longer.
constexpr size_t kMostFailed = 4 << 20;

uint64_t Mix(uint64_t x) {
  x += 0x9e3779b97f4a7c15ULL;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

// Sections stand for the steps at which most is held: between two of them, something is freed before something is
// allocated. Steps that hold a part of what another one holds need not be looked at.
std::vector<int32_t> SectionOfStep(const std::vector<TimedBuffer>& buffers) {
  int32_t steps = 0;
  for (const TimedBuffer& buffer : buffers) steps = std::max(steps, buffer.last_step + 1);
  std::vector<bool> allocates(steps, false), frees(steps, false);
  for (const TimedBuffer& buffer : buffers) {
    allocates[buffer.first_step] = true;
    frees[buffer.last_step] = true;
  }
  std::vector<int32_t> section(steps, 0);
  int32_t current = 0;
  bool freed = false;
  for (int32_t step = 0; step < steps; ++step) {
    if (allocates[step] && freed) {
      ++current;
      freed = false;
    }
    section[step] = current;
    freed = freed || frees[step];
  }
  return section;
}

class Search {
 public:
  Search(const std::vector<TimedBuffer>& buffers, int64_t capacity_bytes) : capacity_(capacity_bytes) {
    const std::vector<int32_t> section = SectionOfStep(buffers);
    const int32_t sections = section.back() + 1;
    // By first section, so that independent parts are found in one pass.
    original_.resize(buffers.size());
    std::iota(original_.begin(), original_.end(), 0);
    std::stable_sort(original_.begin(), original_.end(),
                     [&](int a, int b) { return section[buffers[a].first_step] < section[buffers[b].first_step]; });
    full_load_.assign(sections, 0);
    held_.resize(sections);
    for (const int i : original_) {
      const TimedBuffer& buffer = buffers[i];
      const int32_t index = static_cast<int32_t>(buffers_.size());
      buffers_.push_back({section[buffer.first_step], section[buffer.last_step], buffer.bytes});
      for (int32_t s = buffers_.back().first; s <= buffers_.back().last; ++s) {
        full_load_[s] += buffer.bytes;
        held_[s].push_back(index);
      }
    }
    for (size_t i = 0; i < buffers_.size(); ++i) {
      const TimedBuffer& buffer = buffers[original_[i]];
      BufferTraits traits;
      for (int32_t s = buffers_[i].first; s <= buffers_[i].last; ++s) {
        traits.load = std::max(traits.load, static_cast<double>(full_load_[s]));
      }
      traits.steps_held = buffer.last_step - buffer.first_step + 1;
      traits.sections_held = buffers_[i].last - buffers_[i].first + 1;
      traits.bytes = static_cast<double>(buffer.bytes);
      traits_.push_back(traits);
    }
    failures_.assign(buffers_.size(), 1);
  }

  SearchResult Run(int64_t work_limit) {
    SearchResult result;
    const int64_t count = static_cast<int64_t>(buffers_.size());
    const int64_t dive = count * (count + static_cast<int64_t>(held_.size()));
    for (start_ = 0; work_ < work_limit; ++start_) {
      stop_at_ = std::min(work_limit, work_ + kDives * dive * (1 + start_ / kStartsPerRound));
      const bool found = Start();
      if (!found && stopped_) continue;
      result.outcome = found ? SearchResult::kFound : SearchResult::kImpossible;
      break;
    }
    result.work = work_;
    if (result.outcome == SearchResult::kFound) {
      result.offsets.resize(buffers_.size());
      for (size_t i = 0; i < buffers_.size(); ++i) result.offsets[original_[i]] = offsets_[i];
    }
    return result;
  }

 private:
  // Sections, both included.
  struct Buffer {
    int32_t first, last;
    int64_t bytes;
  };
  // By offset, then rank: the order in which buffers are placed.
  using Turn = std::pair<int64_t, int32_t>;
  struct Candidate {
    Turn turn;
    int32_t buffer;
  };

  Turn TurnOf(int32_t i) const { return {least_[i], ranks_[i]}; }

  bool Start() {
    ranks_ = RankBuffers(traits_, failures_, start_);
    load_ = full_load_;
    witness_.assign(held_.size(), 0);
    least_.assign(buffers_.size(), 0);
    offsets_.assign(buffers_.size(), -1);
    raised_.clear();
    stopped_ = false;
    std::vector<int32_t> all(buffers_.size());
    std::iota(all.begin(), all.end(), 0);
    return PlaceAll(all, {0, -1});
  }

  // Places all of `open`, which is sorted by first section, none before its turn after `last`. If that fails, nothing
  // has changed but offsets_ of open ones.
  bool PlaceAll(const std::vector<int32_t>& open, Turn last) {
    std::vector<std::vector<int32_t>> parts;
    int32_t reach = -1;
    for (const int32_t i : open) {
      if (buffers_[i].first > reach) parts.emplace_back();
      parts.back().push_back(i);
      reach = std::max(reach, buffers_[i].last);
    }
    // What is refuted soonest goes first.
    std::stable_sort(parts.begin(), parts.end(), [](const auto& a, const auto& b) { return a.size() < b.size(); });
    for (size_t done = 0; done < parts.size(); ++done) {
      if (PlacePart(parts[done], last)) continue;
      for (size_t i = 0; i < done; ++i) {
        for (const int32_t buffer : parts[i]) TakeBack(buffer);
      }
      return false;
    }
    return true;
  }

  bool PlacePart(const std::vector<int32_t>& open, Turn last) {
    work_ += static_cast<int64_t>(open.size());
    const uint64_t key = StateKey(open, last);
    if (failed_.count(key) > 0) return false;
    if (TryCandidates(open, last)) return true;
    if (!stopped_ && failed_.size() < kMostFailed) failed_.insert(key);
    return false;
  }

  // Equal for equal subproblems: what is open, where each could lie at the lowest, and whose turn has passed if that
  // matters.
  uint64_t StateKey(const std::vector<int32_t>& open, Turn last) const {
    uint64_t key = 0;
    bool passed = false;
    for (const int32_t i : open) {
      key += Mix(Mix(static_cast<uint64_t>(i)) ^ static_cast<uint64_t>(least_[i]));
      passed = passed || TurnOf(i) < last;
    }
    if (!passed) return key;
    const uint64_t start = static_cast<uint64_t>(start_);
    return key + Mix(Mix(static_cast<uint64_t>(last.first)) + Mix(start << 32 | static_cast<uint32_t>(last.second)));
  }

  bool TryCandidates(const std::vector<int32_t>& open, Turn last) {
    const int32_t first_section = buffers_[open.front()].first;
    int32_t last_section = 0;
    // If one fits below an offset, nothing else need be placed at that offset before it.
    int64_t first_end = std::numeric_limits<int64_t>::max();
    for (const int32_t i : open) {
      last_section = std::max(last_section, buffers_[i].last);
      first_end = std::min(first_end, least_[i] + buffers_[i].bytes);
    }
    const int64_t most_left = *std::max_element(load_.begin() + first_section, load_.begin() + last_section + 1);
    std::vector<Candidate> candidates;
    for (const int32_t i : open) {
      const Turn turn = TurnOf(i);
      if (turn < last || turn.first >= first_end || turn.first > capacity_ - most_left) continue;
      candidates.push_back({turn, i});
    }
    std::sort(candidates.begin(), candidates.end(),
              [](const Candidate& a, const Candidate& b) { return a.turn < b.turn; });
    std::vector<int32_t> rest;
    for (const Candidate& candidate : candidates) {
      work_ += static_cast<int64_t>(open.size()) + last_section - first_section + 1;
      if (work_ > stop_at_) {
        stopped_ = true;
        return false;
      }
      const size_t mark = raised_.size();
      const int32_t chosen = candidate.buffer;
      if (Place(chosen, candidate.turn.first, open, last_section)) {
        rest.clear();
        std::copy_if(open.begin(), open.end(), std::back_inserter(rest), [&](int32_t i) { return i != chosen; });
        if (PlaceAll(rest, candidate.turn)) return true;
      }
      TakeBack(chosen);
      for (; raised_.size() > mark; raised_.pop_back()) least_[raised_.back().first] = raised_.back().second;
      if (stopped_) return false;
      // It was in nobody's way, and its turn has passed.
      if (HoldsAlone(chosen)) return false;
    }
    return false;
  }

  // False if some open buffer does not fit any more.
  bool Place(int32_t chosen, int64_t offset, const std::vector<int32_t>& open, int32_t last_section) {
    const Buffer& placed = buffers_[chosen];
    const int64_t end = offset + placed.bytes;
    offsets_[chosen] = offset;
    for (int32_t s = placed.first; s <= placed.last; ++s) load_[s] -= placed.bytes;
    for (const int32_t i : open) {
      const Buffer& other = buffers_[i];
      if (other.first > placed.last) break;
      if (other.last < placed.first || least_[i] >= end || i == chosen) continue;
      raised_.push_back({i, least_[i]});
      least_[i] = end;
      if (end + other.bytes <= capacity_) continue;
      ++failures_[i];
      return false;
    }
    for (int32_t s = buffers_[open.front()].first; s <= last_section; ++s) {
      if (load_[s] == 0 || HasRoom(s)) continue;
      for (const int32_t i : held_[s]) {
        if (offsets_[i] < 0) ++failures_[i];
      }
      return false;
    }
    return true;
  }

  // Whether some open buffer of the section can lie so low that all fit above it. The last one that could is asked
  // first.
  bool HasRoom(int32_t s) {
    const int64_t highest = capacity_ - load_[s];
    const std::vector<int32_t>& held = held_[s];
    const auto can = [&](int32_t i) { return offsets_[i] < 0 && least_[i] <= highest; };
    if (can(held[witness_[s]])) return true;
    work_ += static_cast<int64_t>(held.size());
    const auto found = std::find_if(held.begin(), held.end(), can);
    if (found == held.end()) return false;
    witness_[s] = static_cast<int32_t>(found - held.begin());
    return true;
  }

  void TakeBack(int32_t i) {
    offsets_[i] = -1;
    for (int32_t s = buffers_[i].first; s <= buffers_[i].last; ++s) load_[s] += buffers_[i].bytes;
  }

  bool HoldsAlone(int32_t i) const {
    for (int32_t s = buffers_[i].first; s <= buffers_[i].last; ++s) {
      if (load_[s] != buffers_[i].bytes) return false;
    }
    return true;
  }

  const int64_t capacity_;
  // Sorted by first section; `original_` is the caller's number of each.
  std::vector<Buffer> buffers_;
  std::vector<int> original_;
  std::vector<BufferTraits> traits_;
  // Per section: bytes and numbers of the buffers held.
  std::vector<int64_t> full_load_;
  std::vector<std::vector<int32_t>> held_;

  int64_t start_ = 0;
  int64_t work_ = 0;
  int64_t stop_at_ = 0;
  bool stopped_ = false;
  std::vector<double> failures_;
  std::unordered_set<uint64_t> failed_;

  // Per buffer: its rank, the lowest offset above what is placed, its offset or -1 while it is open.
  std::vector<int32_t> ranks_;
  std::vector<int64_t> least_;
  std::vector<int64_t> offsets_;
  // Per section: bytes of open buffers, and which of the held ones had room last.
  std::vector<int64_t> load_;
  std::vector<int32_t> witness_;
  // Former values of least_, to go back to.
  std::vector<std::pair<int32_t, int64_t>> raised_;
};

}  // namespace

SearchResult SearchPlaces(const std::vector<TimedBuffer>& buffers, int64_t capacity_bytes, int64_t work_limit) {
  if (buffers.empty()) return {SearchResult::kFound, {}, 0};
  if (HighestLoad(buffers) > capacity_bytes) return {SearchResult::kImpossible, {}, 0};
  if (buffers.size() > kMostBuffers) return {SearchResult::kLimit, {}, 0};
  return Search(buffers, capacity_bytes).Run(work_limit);
}

}  // namespace str::optimizer
