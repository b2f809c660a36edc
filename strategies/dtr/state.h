// What DTR knows of its storages while it runs, as heuristics see it.
//
// A storage is resident or evicted once it has been made, neither before. Dependencies appear with the operator that
// brings them. Units as in the trace.
#ifndef STR_STRATEGIES_DTR_STATE_H_
#define STR_STRATEGIES_DTR_STATE_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "strategies/dtr/trace.h"

namespace str::dtr {

struct StorageState {
  int64_t bytes = 0;
  // Of the distinct operators that made its tensors.
  int64_t cost = 0;
  // The clock when an operator last took one of its tensors.
  int64_t last_access = 0;
  int32_t locks = 0;
  // References of the program to its tensors.
  int32_t references = 0;
  bool resident = false;
  // Was resident and may be so again.
  bool evicted = false;
  // Never evicted.
  bool pinned = false;
  // Gone for good.
  bool banished = false;
};

class State {
 public:
  explicit State(const Trace& trace);

  int storage_count() const { return static_cast<int>(storages_.size()); }
  const StorageState& storage(int32_t id) const { return storages_[id]; }
  StorageState& storage(int32_t id) { return storages_[id]; }
  absl::Span<const int32_t> parents(int32_t id) const { return parents_.Row(id); }
  absl::Span<const int32_t> children(int32_t id) const { return children_.Row(id); }
  void AddDependency(const Dependency& dependency) {
    parents_.Add(dependency.child, dependency.parent);
    children_.Add(dependency.parent, dependency.child);
  }

  int64_t clock() const { return clock_; }
  void Advance(int64_t cost) { clock_ += cost; }
  int64_t Staleness(int32_t id) const { return clock_ - storages_[id].last_access; }

 private:
  // Rows that grow up to a size known beforehand, in one array.
  struct GrowingRows {
    std::vector<int32_t> values;
    std::vector<int32_t> begin;
    std::vector<int32_t> end;
    absl::Span<const int32_t> Row(int32_t row) const {
      return absl::MakeConstSpan(values.data() + begin[row], end[row] - begin[row]);
    }
    void Add(int32_t row, int32_t value) { values[end[row]++] = value; }
    // `row_of` tells a dependency's row.
    template <typename RowOf>
    void Reserve(const Trace& trace, RowOf row_of) {
      begin.assign(trace.storage_bytes.size() + 1, 0);
      for (const Dependency& dependency : trace.dependencies) ++begin[row_of(dependency) + 1];
      for (size_t row = 1; row < begin.size(); ++row) begin[row] += begin[row - 1];
      end.assign(begin.begin(), begin.end() - 1);
      values.resize(trace.dependencies.size());
    }
  };

  std::vector<StorageState> storages_;
  GrowingRows parents_, children_;
  int64_t clock_ = 1;
};

inline State::State(const Trace& trace) : storages_(trace.storage_bytes.size()) {
  for (size_t id = 0; id < storages_.size(); ++id) storages_[id].bytes = trace.storage_bytes[id];
  parents_.Reserve(trace, [](const Dependency& dependency) { return dependency.child; });
  children_.Reserve(trace, [](const Dependency& dependency) { return dependency.parent; });
}

}  // namespace str::dtr

#endif  // STR_STRATEGIES_DTR_STATE_H_
