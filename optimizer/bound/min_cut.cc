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
  Cut(const CutProblem& problem, const CutView& view)
      : problem_(problem),
        view_(view),
        bytes_per_unit_(std::max<int64_t>(1, view.budget_bytes / kMemoryUnits)),
        free_(view.free_bytes / bytes_per_unit_ + 1),
        wanted_(view.Wanted(problem)),
        have_(problem.storages().size(), kNone),
        rerun_(problem.positions(), kNone) {
    AddNodes();
  }

  bool fits() const { return view_.free_bytes >= 0; }

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
  // Of the network: source, sink, one per storage that may be wanted, one per node that may be rerun for them.
  void AddNodes() {
    std::vector<std::vector<int>> made(problem_.positions());
    for (const int id : wanted_) {
      have_[id] = nodes_++;
      made[problem_.storages()[id].producer].push_back(id);
    }
    for (const int id : wanted_) {
      const int producer = problem_.storages()[id].producer;
      if (!problem_.node(producer).may_rerun || rerun_[producer] != kNone) continue;
      rerun_[producer] = nodes_++;
      reruns_.push_back({producer, made[producer]});
    }
  }

  int64_t Bytes(int id) const { return problem_.storages()[id].rounded_bytes / bytes_per_unit_; }

  // With this price per unit of memory: the bound, and the memory that the cheapest choice uses. A storage that is had
  // is kept unless its producer is rerun, which takes that every input and output of it is had.
  std::pair<int64_t, int64_t> Evaluate(int64_t price) const {
    MaxFlow flow(nodes_);
    int64_t value = -price * free_;
    for (const int id : wanted_) {
      if (view_.is_needed[id]) flow.AddArc(kSource, have_[id], MaxFlow::kUnlimited);
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
        if (!view_.is_there[id]) flow.AddArc(rerun_[producer], have_[id], MaxFlow::kUnlimited);
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
  const CutView& view_;
  const int64_t bytes_per_unit_;
  // In units.
  const int64_t free_;
  const std::vector<int> wanted_;
  std::vector<Rerun> reruns_;
  // Network nodes: by storage, by position.
  std::vector<int> have_, rerun_;
  int nodes_ = 2;
};

}  // namespace

double MinCutSeconds(const CutProblem& problem, const CutView& view) {
  const double own = problem.total_seconds();
  Cut cut(problem, view);
  // Without room the view is of no plan: nothing is claimed.
  const double extra = cut.fits() ? std::min(static_cast<double>(cut.Extra()) / kTimeUnits, kLongest - 1) : 0;
  return own * (1 + extra) * (1 - kSumMargin);
}

}  // namespace str::optimizer
