#include "strategies/kusumoto/chain_search.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace str::strategies::kusumoto {
namespace {

constexpr int64_t kNever = std::numeric_limits<int64_t>::max();
// How many sets between two questions whether to stop.
constexpr int kStopInterval = 64;
// Of all time, that is tried first.
constexpr int64_t kFirstLossShare = 64;

// A way to get to a set; none of the same set keeps more time and no more bytes.
struct State {
  int64_t time = 0;
  int64_t bytes = 0;
  int from_set = -1;
};

}  // namespace

ChainSearch::ChainSearch(const ValueGraph* graph, const LowerSets* sets, std::function<bool()> stop)
    : graph_(*graph), sets_(*sets), stop_(std::move(stop)) {
  const int values = static_cast<int>(graph_.size());
  first_boundary_.push_back(0);
  // Marks of the set at hand.
  std::vector<int> marked(values, -1);
  for (int set = 0; set < sets_.size(); ++set) {
    int64_t bytes = 0, after = 0, time = 0, boundary_time = 0;
    std::vector<int> next;
    for (int value = 0; value < values; ++value) {
      if (!sets_.Has(set, value)) continue;
      bytes += graph_[value].bytes;
      time += graph_[value].kept_time;
      bool taken = false;
      for (const int consumer : graph_[value].consumers) {
        if (sets_.Has(set, consumer)) continue;
        taken = true;
        if (marked[consumer] != set) {
          marked[consumer] = set;
          next.push_back(consumer);
        }
      }
      if (!taken) continue;
      boundary_.push_back({value, graph_[value].kept_bytes, graph_[value].kept_time});
      boundary_time += graph_[value].kept_time;
    }
    // Their gradients, and then the values that they take; one value may be both.
    std::vector<int> beside;
    for (const int value : next) {
      after += graph_[value].bytes;
      for (const int input : graph_[value].inputs) {
        if (!sets_.Has(set, input)) beside.push_back(input);
      }
    }
    std::sort(beside.begin(), beside.end());
    beside.erase(std::unique(beside.begin(), beside.end()), beside.end());
    for (const int value : beside) after += graph_[value].bytes;
    bytes_.push_back(bytes);
    after_bytes_.push_back(after);
    time_.push_back(time);
    boundary_time_.push_back(boundary_time);
    first_boundary_.push_back(static_cast<int>(boundary_.size()));
  }
}

ChainSearch::Step ChainSearch::Between(int from, int to) const {
  Step step;
  for (int i = first_boundary_[to]; i < first_boundary_[to + 1]; ++i) {
    const Boundary& boundary = boundary_[i];
    if (sets_.Has(from, boundary.value)) continue;
    step.kept_bytes += boundary.bytes;
    step.kept_time += boundary.time;
  }
  return step;
}

int64_t ChainSearch::KeptTime(const std::vector<int>& chain) const {
  int64_t time = 0;
  int from = 0;
  for (const int to : chain) {
    time += Between(from, to).kept_time;
    from = to;
  }
  return time;
}

std::vector<int> ChainSearch::Find(int64_t budget_bytes, Objective objective) const {
  if (objective == Objective::kMemory) return FindFewestBytes(budget_bytes);
  // Whatever loses more than it may is soon given up, so little is tried first. What is found is the best of all: it
  // loses less than all that was left out.
  const int64_t all_time = time_.back();
  std::vector<int> chain;
  for (int64_t may_lose = all_time / kFirstLossShare; chain.empty() && !stop_(); may_lose = 2 * may_lose + 1) {
    chain = FindMostTime(budget_bytes, std::min(may_lose, all_time));
    if (may_lose >= all_time) break;
  }
  return chain;
}

std::vector<int> ChainSearch::FindMostTime(int64_t budget_bytes, int64_t may_lose) const {
  const int64_t all_time = time_.back();
  // Fewest bytes, and where from, by time kept so far; of the set at hand.
  std::vector<int64_t> fewest(all_time + 1, kNever);
  std::vector<int> source(all_time + 1, -1);
  // By set, ascending in time and in bytes.
  std::vector<std::vector<State>> states(sets_.size());
  states[0].push_back({});
  // By set, what decides about most pairs of sets: the fewest bytes kept, less those that a segment from here on need
  // not hold; and the most time kept. Of sets that cannot be reached, more than any budget.
  std::vector<int64_t> least_need(sets_.size(), kNever), most_kept(sets_.size(), 0);
  least_need[0] = 0;
  for (int to = 1; to < sets_.size(); ++to) {
    if (to % kStopInterval == 0 && stop_()) return {};
    const int64_t budget_here = budget_bytes - SegmentBytes(0, to);
    // At best, everything that others take of this set is kept.
    const int64_t time_needed = time_[to] - boundary_time_[to] - may_lose;
    int64_t most_time = -1;
    for (int from = 0; from < to; ++from) {
      if (least_need[from] > budget_here || most_kept[from] < time_needed || !sets_.IsSubset(from, to)) continue;
      const Step step = Between(from, to);
      const int64_t room = budget_here + 2 * bytes_[from];
      const int64_t least_time = time_[to] - may_lose - step.kept_time;
      for (const State& state : states[from]) {
        if (state.bytes > room) break;
        if (state.time < least_time) continue;
        const int64_t time = state.time + step.kept_time;
        const int64_t bytes = state.bytes + step.kept_bytes;
        if (bytes >= fewest[time]) continue;
        fewest[time] = bytes;
        source[time] = from;
        most_time = std::max(most_time, time);
      }
    }
    int64_t bound = kNever;
    for (int64_t time = most_time; time >= 0; --time) {
      if (fewest[time] < bound) {
        bound = fewest[time];
        states[to].push_back({time, bound, source[time]});
      }
      fewest[time] = kNever;
    }
    std::reverse(states[to].begin(), states[to].end());
    if (states[to].empty()) continue;
    least_need[to] = states[to].front().bytes - 2 * bytes_[to];
    most_kept[to] = states[to].back().time;
  }
  if (states.back().empty()) return {};
  std::vector<int> chain;
  int at = sets_.size() - 1;
  State state = states[at].back();
  while (at > 0) {
    chain.push_back(at);
    const Step step = Between(state.from_set, at);
    at = state.from_set;
    const auto before = std::find_if(states[at].begin(), states[at].end(), [&](const State& candidate) {
      return candidate.time == state.time - step.kept_time && candidate.bytes == state.bytes - step.kept_bytes;
    });
    state = *before;
  }
  std::reverse(chain.begin(), chain.end());
  return chain;
}

// The fewest bytes at every set suffice: whatever follows from a state follows from one of fewer bytes. Among equals
// the one that keeps more time.
std::vector<int> ChainSearch::FindFewestBytes(int64_t budget_bytes) const {
  std::vector<State> best(sets_.size(), State{-1, kNever, -1});
  best[0] = {};
  // As in FindMostTime.
  std::vector<int64_t> least_need(sets_.size(), kNever);
  least_need[0] = 0;
  for (int to = 1; to < sets_.size(); ++to) {
    if (to % kStopInterval == 0 && stop_()) return {};
    const int64_t budget_here = budget_bytes - SegmentBytes(0, to);
    for (int from = 0; from < to; ++from) {
      // What is kept only grows.
      if (least_need[from] > budget_here || best[from].bytes > best[to].bytes || !sets_.IsSubset(from, to)) continue;
      const Step step = Between(from, to);
      const int64_t bytes = best[from].bytes + step.kept_bytes;
      const int64_t time = best[from].time + step.kept_time;
      if (bytes < best[to].bytes || (bytes == best[to].bytes && time > best[to].time)) best[to] = {time, bytes, from};
    }
    if (best[to].bytes != kNever) least_need[to] = best[to].bytes - 2 * bytes_[to];
  }
  std::vector<int> chain;
  if (best.back().bytes == kNever) return chain;
  for (int at = sets_.size() - 1; at > 0; at = best[at].from_set) chain.push_back(at);
  std::reverse(chain.begin(), chain.end());
  return chain;
}

int64_t ChainSearch::SmallestBudget() const {
  // One segment always fits twice the bytes.
  int64_t enough = SegmentBytes(0, sets_.size() - 1), too_little = 0;
  while (enough - too_little > std::max<int64_t>(1, enough / 10000)) {
    const int64_t middle = too_little + (enough - too_little) / 2;
    const bool fits = !FindFewestBytes(middle).empty();
    if (stop_()) return 0;
    (fits ? enough : too_little) = middle;
  }
  return enough;
}

std::vector<int> ChainSearch::ChenChain() const {
  std::vector<int> candidates;
  const int last = sets_.size() - 1;
  for (int set = 0; set <= last; ++set) {
    const bool single = first_boundary_[set + 1] - first_boundary_[set] == 1;
    if (set == 0 || set == last || single) candidates.push_back(set);
  }
  std::stable_sort(candidates.begin(), candidates.end(), [&](int a, int b) { return bytes_[a] < bytes_[b]; });
  const int64_t segments = std::max<int64_t>(1, static_cast<int64_t>(std::sqrt(candidates.size())));
  const int64_t distance = std::max<int64_t>(1, bytes_[last] / segments);
  std::vector<int> chain;
  int64_t next = distance;
  for (const int set : candidates) {
    if (set != last && bytes_[set] <= next) continue;
    // Sets of one value each are nested unless one of them holds values that nobody takes.
    if (!chain.empty() && !sets_.IsSubset(chain.back(), set)) continue;
    chain.push_back(set);
    next += (bytes_[set] - next) / distance * distance + distance;
  }
  return chain;
}

}  // namespace str::strategies::kusumoto
