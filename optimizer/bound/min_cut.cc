#include "optimizer/bound/min_cut.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "optimizer/bound/max_flow.h"
#include "optimizer/bound/single_cut.h"

namespace str::optimizer {
namespace {

// Units of time in the nodes' own time, and of memory in the budget. Times and buffers are rounded down, the memory
// that is free up: that can only lower the bound.
constexpr int64_t kTimeUnits = int64_t{1} << 46;
constexpr int64_t kMemoryUnits = int64_t{1} << 26;
constexpr int64_t kHighestPrice = int64_t{1} << 28;
// Ours are sums of doubles.
constexpr double kSumMargin = 1e-12;

class Cut {
 public:
  Cut(const CutProblem& problem, int position, int64_t budget_bytes)
      : problem_(problem),
        cut_(position),
        bytes_per_unit_(std::max<int64_t>(1, budget_bytes / kMemoryUnits)),
        free_bytes_(budget_bytes - problem.WorkingSet(position)),
        there_(problem.storages().size(), 0),
        have_(problem.storages().size(), kNone),
        rerun_(problem.positions(), kNone) {
    FindThere();
    FindWanted();
    free_ = free_bytes_ / bytes_per_unit_ + 1;
  }

  bool fits() const { return free_bytes_ >= 0; }

  // Time units beyond the nodes' own, at least, by the best price: the bound is concave in it.
  int64_t Extra() {
    int64_t best = 0, low = 0, high = kHighestPrice;
    while (low <= high) {
      const int64_t price = low + (high - low) / 2;
      const auto [value, used] = Evaluate(price);
      best = std::max(best, value);
      if (used == free_) break;
      if (used > free_) {
        low = price + 1;
      } else {
        high = price - 1;
      }
    }
    return best;
  }

 private:
  bool Needed(int id) const {
    const CutStorage& storage = problem_.storages()[id];
    return storage.producer < cut_ && !there_[id] && !storage.uses.empty() && storage.uses.back() > cut_;
  }

  void FindThere() {
    for (const int id : problem_.node(cut_).inputs) there_[id] = 1;
    for (size_t id = 0; id < there_.size(); ++id) {
      const CutStorage& storage = problem_.storages()[id];
      if (there_[id] || storage.producer >= cut_ || storage.held_after >= cut_) continue;
      there_[id] = 1;
      free_bytes_ -= storage.rounded_bytes;
    }
  }

  // Network nodes: source, sink, one per storage that may be wanted, one per node that may be rerun for them.
  void FindWanted() {
    for (size_t id = 0; id < there_.size(); ++id) {
      if (Needed(static_cast<int>(id))) Want(static_cast<int>(id));
    }
    std::vector<std::vector<int>> made(problem_.positions());
    for (size_t next = 0; next < wanted_.size(); ++next) {
      const int producer = problem_.storages()[wanted_[next]].producer;
      if (!problem_.node(producer).may_rerun || rerun_[producer] != kNone) continue;
      rerun_[producer] = nodes_++;
      reruns_.push_back({producer, {}});
      for (const int input : problem_.node(producer).inputs) {
        if (!there_[input]) Want(input);
      }
    }
    for (const int id : wanted_) made[problem_.storages()[id].producer].push_back(id);
    for (Rerun& rerun : reruns_) rerun.made = made[rerun.node];
  }

  void Want(int id) {
    if (have_[id] != kNone) return;
    have_[id] = nodes_++;
    wanted_.push_back(id);
  }

  int64_t Bytes(int id) const { return problem_.storages()[id].rounded_bytes / bytes_per_unit_; }

  // With this price per unit of memory: the bound, and the memory that the cheapest choice uses. A storage that is had
  // is kept unless its producer is rerun, which takes that every input and output of it is had.
  std::pair<int64_t, int64_t> Evaluate(int64_t price) const {
    MaxFlow flow(nodes_);
    int64_t value = -price * free_;
    for (const int id : wanted_) {
      if (Needed(id)) flow.AddArc(kSource, have_[id], MaxFlow::kUnlimited);
      flow.AddArc(have_[id], kSink, price * Bytes(id));
    }
    for (const auto& [producer, made] : reruns_) {
      const double share = problem_.node(producer).seconds / problem_.total_seconds();
      int64_t cost = static_cast<int64_t>(share * kTimeUnits);
      for (const int id : made) {
        cost -= price * Bytes(id);
        flow.AddArc(rerun_[producer], have_[id], MaxFlow::kUnlimited);
      }
      for (const int id : problem_.node(producer).inputs) {
        if (!there_[id]) flow.AddArc(rerun_[producer], have_[id], MaxFlow::kUnlimited);
      }
      if (cost > 0) flow.AddArc(rerun_[producer], kSink, cost);
      if (cost < 0) {
        flow.AddArc(kSource, rerun_[producer], -cost);
        value += cost;
      }
    }
    value += flow.Solve(kSource, kSink);
    int64_t used = 0;
    for (const int id : wanted_) {
      if (!flow.OnSourceSide(have_[id])) continue;
      const int rerun = rerun_[problem_.storages()[id].producer];
      if (rerun == kNone || !flow.OnSourceSide(rerun)) used += Bytes(id);
    }
    return {value, used};
  }

  static constexpr int kSource = 0;
  static constexpr int kSink = 1;
  struct Rerun {
    int node;
    // What of its outputs may be wanted.
    std::vector<int> made;
  };

  const CutProblem& problem_;
  const int cut_;
  const int64_t bytes_per_unit_;
  int64_t free_bytes_;
  // In units.
  int64_t free_ = 0;
  std::vector<char> there_;
  std::vector<int> wanted_;
  std::vector<Rerun> reruns_;
  // Network nodes: by storage, by position.
  std::vector<int> have_, rerun_;
  int nodes_ = 2;
};

}  // namespace

double MinCutSeconds(const CutProblem& problem, int position, int64_t budget_bytes) {
  const double own = problem.total_seconds();
  Cut cut(problem, position, budget_bytes);
  // Without room there is no plan in this order: nothing is claimed.
  const double extra = cut.fits() ? std::min(static_cast<double>(cut.Extra()) / kTimeUnits, kLongest - 1) : 0;
  return own * (1 + extra) * (1 - kSumMargin);
}

}  // namespace str::optimizer
