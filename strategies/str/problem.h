// What the default planner decides on: storages, the gaps between their uses, and what may be done in each gap.
//
// Glossary.
//   stage     a position in the order of the program's nodes; a node is first run in its stage.
//   storage   a tensor that owns a buffer (the root) with all views of it: a use of any of them is a use of the
//   storage. unit      a gap of a storage: two consecutive uses with at least one stage between them. afterlife the
//   unit from the last use of a storage that can be made again to the end: whether it stays for reruns
//             that take it (kKeep), or is made again for each of them (kTransient).
// Storages that are too small to matter, held to the end or never freed by TensorFlow are not decided: they count as
// always there, and a rerun that takes one simply prolongs its life.
#ifndef STR_STRATEGIES_STR_PROBLEM_H_
#define STR_STRATEGIES_STR_PROBLEM_H_

#include <cstdint>
#include <vector>

#include "optimizer/cost/costs.h"
#include "optimizer/graph/graph.h"
#include "strategies/planner.h"

namespace str::strategies {

// What happens to a storage in one of its gaps.
enum class Mode : int8_t {
  kKeep,
  // Dropped after the first use, fetched from the host when next needed, then kept until the gap ends.
  kSwap,
  // Dropped, made again when next needed, then kept until the gap ends.
  kRecompute,
  // Dropped, made again whenever needed, dropped again at the end of that stage.
  kTransient,
};

struct Storage {
  optimizer::TensorId root = optimizer::kNone;
  optimizer::NodeId producer = optimizer::kNone;
  // Copied, and rounded as the allocator does.
  int64_t bytes = 0;
  int64_t rounded_bytes = 0;
  bool may_swap = false;
  bool may_recompute = false;
  // Whether the producer can run again at all, asked or not.
  bool can_rerun = false;
  // Its units are [first_unit, first_unit + units), the afterlife last.
  int32_t first_unit = 0;
  int32_t units = 0;
};

struct Unit {
  int32_t storage = 0;
  // Stages of the uses around the gap; an afterlife ends at stages().
  int32_t from = 0;
  int32_t to = 0;
  bool afterlife = false;
  // Dropped in this gap, its buffer is taken over by an output of the node at `from`, which else needs one of its own.
  // Not if it is copied out: the copy holds the buffer until after that node.
  bool hands_over = false;
};

struct ProblemOptions {
  bool allow_swap = true;
  bool allow_recompute = true;
  // Storages below a two-thousandth of it are not decided.
  int64_t peak_bytes = 0;
  // By tensor id; empty: all free.
  const std::vector<Pin>* pins = nullptr;
};

class Problem {
 public:
  // What follows a use of a storage, besides a unit.
  static constexpr int32_t kNextUseAdjacent = -1;
  // And it cannot be made again.
  static constexpr int32_t kNoUseLeft = -2;
  struct Touch {
    int32_t storage = 0;
    // The unit that begins here, or one of the above.
    int32_t next = kNoUseLeft;
  };

  // `graph` and `costs` must outlive this; `order` holds every node of the program, and may hold others.
  Problem(const optimizer::Graph* graph, const optimizer::Costs* costs, const std::vector<optimizer::NodeId>& order,
          const ProblemOptions& options);

  const optimizer::Graph& graph() const { return graph_; }
  const optimizer::Costs& costs() const { return costs_; }
  int stages() const { return static_cast<int>(nodes_.size()); }
  optimizer::NodeId node(int stage) const { return nodes_[stage]; }
  // By stage.
  const std::vector<optimizer::NodeId>& nodes() const { return nodes_; }
  // The storage a tensor belongs to, or kNone if it is not decided.
  int32_t storage_of(optimizer::TensorId tensor) const { return storage_of_[tensor]; }
  const std::vector<Storage>& storages() const { return storages_; }
  const std::vector<Unit>& units() const { return units_; }
  // The storages that are made or used in a stage.
  const std::vector<Touch>& touches(int stage) const { return touches_[stage]; }
  bool Allows(const Unit& unit, Mode mode) const;
  // Nothing is dropped before its last use, and nothing stays after it.
  std::vector<Mode> KeepEverything() const;
  // Whether storages may be swapped in general.
  bool allows_swap() const { return allows_swap_; }
  bool allows_both() const { return allows_swap_ && allows_recompute_; }
  // Seconds of computing with everything kept.
  double compute_seconds() const { return compute_seconds_; }

 private:
  void FindStorages(const ProblemOptions& options);
  void FindUnits();
  void FindHandovers();
  // The unit whose storage the output could take over if it were dropped, or kNone: none, or the output takes one over
  // anyway.
  int32_t FindHandover(int stage, optimizer::TensorId output) const;

  const optimizer::Graph& graph_;
  const optimizer::Costs& costs_;
  std::vector<optimizer::NodeId> nodes_;
  std::vector<int32_t> stage_of_;
  std::vector<int32_t> storage_of_;
  std::vector<Storage> storages_;
  std::vector<Unit> units_;
  std::vector<std::vector<Touch>> touches_;
  double compute_seconds_ = 0;
  bool allows_swap_ = false;
  bool allows_recompute_ = false;
};

}  // namespace str::strategies

#endif  // STR_STRATEGIES_STR_PROBLEM_H_
