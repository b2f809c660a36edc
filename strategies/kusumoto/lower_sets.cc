#include "strategies/kusumoto/lower_sets.h"

#include <algorithm>
#include <numeric>

#include "absl/container/flat_hash_set.h"

namespace str::strategies::kusumoto {
namespace {

constexpr int kWordBits = 64;
// How many sets between two questions whether to stop.
constexpr int kStopInterval = 1024;

int WordsFor(size_t values) { return std::max<int>(1, static_cast<int>((values + kWordBits - 1) / kWordBits)); }

// Sets in an array that grows, found by content. The sets are named by their index.
class SetTable {
 public:
  explicit SetTable(int words) : words_(words), index_(0, Hash{this}, Equal{this}) {}

  int size() const { return static_cast<int>(bits_.size()) / words_; }
  uint64_t* set(int index) { return bits_.data() + static_cast<size_t>(index) * words_; }
  const uint64_t* set(int index) const { return bits_.data() + static_cast<size_t>(index) * words_; }

  // Another empty set, or a copy of `from`.
  void Append(int from) {
    bits_.resize(bits_.size() + words_, 0);
    if (from >= 0) std::copy_n(set(from), words_, set(size() - 1));
  }
  // Takes back the last one if it was there already.
  void KeepLastIfNew() {
    if (!index_.insert(size() - 1).second) bits_.resize(bits_.size() - words_);
  }

  std::vector<uint64_t> Release() { return std::move(bits_); }

 private:
  struct Hash {
    const SetTable* table;
    size_t operator()(int index) const {
      uint64_t hash = 0x9e3779b97f4a7c15;
      for (int w = 0; w < table->words_; ++w) {
        hash = (hash ^ table->set(index)[w]) * 0xff51afd7ed558ccd;
        hash ^= hash >> 32;
      }
      return hash;
    }
  };
  struct Equal {
    const SetTable* table;
    bool operator()(int a, int b) const {
      return std::equal(table->set(a), table->set(a) + table->words_, table->set(b));
    }
  };

  const int words_;
  std::vector<uint64_t> bits_;
  absl::flat_hash_set<int, Hash, Equal> index_;
};

void Insert(uint64_t* set, int value) { set[value / kWordBits] |= uint64_t{1} << (value % kWordBits); }
bool Holds(const uint64_t* set, int value) { return (set[value / kWordBits] >> (value % kWordBits)) & 1; }

}  // namespace

LowerSets::LowerSets(int values, std::vector<uint64_t> words) : words_(WordsFor(values)) {
  size_ = static_cast<int>(words.size()) / words_;
  std::vector<int> order(size_), count(size_, 0);
  std::iota(order.begin(), order.end(), 0);
  for (int i = 0; i < size_; ++i) {
    for (int w = 0; w < words_; ++w) count[i] += __builtin_popcountll(words[static_cast<size_t>(i) * words_ + w]);
  }
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return count[a] < count[b]; });
  bits_.reserve(words.size());
  for (const int i : order) {
    const auto first = words.begin() + static_cast<size_t>(i) * words_;
    bits_.insert(bits_.end(), first, first + words_);
  }
}

std::optional<LowerSets> AllLowerSets(const ValueGraph& graph, int most, const std::function<bool()>& stop) {
  SetTable table(WordsFor(graph.size()));
  table.Append(-1);
  table.KeepLastIfNew();
  for (int at = 0; at < table.size(); ++at) {
    if (at % kStopInterval == 0 && stop()) return std::nullopt;
    for (int value = 0; value < static_cast<int>(graph.size()); ++value) {
      if (Holds(table.set(at), value)) continue;
      const std::vector<int>& inputs = graph[value].inputs;
      const bool can_follow =
          std::all_of(inputs.begin(), inputs.end(), [&](int input) { return Holds(table.set(at), input); });
      if (!can_follow) continue;
      table.Append(at);
      Insert(table.set(table.size() - 1), value);
      table.KeepLastIfNew();
      if (table.size() > most) return std::nullopt;
    }
  }
  return LowerSets(static_cast<int>(graph.size()), table.Release());
}

LowerSets PrunedLowerSets(const ValueGraph& graph) {
  const int words = WordsFor(graph.size());
  // By value.
  std::vector<uint64_t> closures(graph.size() * words, 0);
  for (size_t value = 0; value < graph.size(); ++value) {
    uint64_t* closure = closures.data() + value * words;
    for (const int input : graph[value].inputs) {
      const uint64_t* of_input = closures.data() + static_cast<size_t>(input) * words;
      for (int w = 0; w < words; ++w) closure[w] |= of_input[w];
    }
    Insert(closure, static_cast<int>(value));
  }
  SetTable table(words);
  table.Append(-1);
  table.KeepLastIfNew();
  for (size_t value = 0; value < graph.size(); ++value) {
    table.Append(-1);
    std::copy_n(closures.data() + value * words, words, table.set(table.size() - 1));
    table.KeepLastIfNew();
  }
  table.Append(-1);
  for (size_t value = 0; value < graph.size(); ++value) Insert(table.set(table.size() - 1), static_cast<int>(value));
  table.KeepLastIfNew();
  return LowerSets(static_cast<int>(graph.size()), table.Release());
}

}  // namespace str::strategies::kusumoto
