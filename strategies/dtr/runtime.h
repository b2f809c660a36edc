// Dynamic tensor rematerialisation: runs a trace within a budget, evicting storages when there is no room and making
// them again when an operator takes them.
//
// An operator stamps its inputs with the clock and locks those that are there, then makes the missing ones in argument
// order, recursively, then evicts until its outputs fit. The clock starts at 1 and advances by what operators cost.
// Outputs that were there already are made once more and dropped at once. A view is lost with its storage and comes
// back only by its own operator. At the end all results are made again. Deterministic: the same trace, options and
// heuristic give the same run.
#ifndef STR_STRATEGIES_DTR_RUNTIME_H_
#define STR_STRATEGIES_DTR_RUNTIME_H_

#include <cstdint>
#include <limits>
#include <memory>
#include <random>
#include <vector>

#include "strategies/dtr/heuristic.h"
#include "strategies/dtr/pool.h"
#include "strategies/dtr/state.h"
#include "strategies/dtr/trace.h"

namespace str::dtr {

// What happens to a storage that the program holds no reference to any more.
enum class Deallocation : int8_t {
  // Evicted at once; it may come back for others' sake.
  kEager,
  // Removed for good as soon as nothing evicted depends on it. What was made from it can then not be made again and is
  // kept.
  kBanish,
  // Nothing.
  kIgnore,
};

struct RuntimeOptions {
  int64_t budget_bytes = std::numeric_limits<int64_t>::max() / 2;
  Deallocation deallocation = Deallocation::kEager;
  // Gives up when recomputing has cost more than (limit - 1) times the baseline; 0: never.
  double thrash_limit = 2;
  // Scores a random sample: goes on by a random step of 1 to the root of the pool's size.
  bool sample = false;
  // Does not evict storages of less than 1 % of the mean size so far.
  bool ignore_small = false;
  // Of equal scores the first in the pool goes, else the last.
  bool first_of_ties = false;
  // For sampling and for heuristics that draw numbers.
  uint64_t seed = 0;
  // Keeps RunResult::history.
  bool record = false;
};

enum class RunStatus : int8_t { kDone, kThrash, kOutOfMemory };

struct RunEvent {
  enum Kind : int8_t {
    // An operator was run for the program.
    kCalled,
    // It was run again for the sake of one that takes what it makes, or of the results.
    kAgain,
    // A storage was evicted, or removed for good whether it was there or not.
    kEvicted,
    kBanished,
  };
  Kind kind = kCalled;
  int32_t id = kNone;
};

struct RunResult {
  RunStatus status = RunStatus::kDone;
  // The operator that could not be run or was one too many; kNone if done.
  int32_t failed_op = kNone;
  int64_t clock = 0;
  // Of this the cost of operators run again.
  int64_t recompute_cost = 0;
  int64_t peak_bytes = 0;
  int64_t constant_bytes = 0;
  int64_t evictions = 0;
  int64_t rematerializations = 0;
  // How many scores were computed.
  int64_t scores = 0;
  std::vector<RunEvent> history;
};

// For one run.
class Runtime {
 public:
  // `trace` must outlive this. No heuristic is needed if the budget is never reached.
  Runtime(const Trace* trace, const HeuristicEntry* heuristic, const RuntimeOptions& options);

  RunResult Run();

 private:
  struct Frame {
    int32_t op = kNone;
    bool again = false;
    // Of its range in missing_, which is the last one.
    int32_t missing_begin = 0;
    int32_t missing_next = 0;
  };

  bool Defined(int32_t tensor) const { return made_in_[tensor] == generation_[trace_.tensors[tensor].storage]; }
  int32_t StorageOf(int32_t tensor) const { return trace_.tensors[tensor].storage; }

  // These return false when the run is over.
  bool Call(int32_t op);
  bool Execute(int32_t op, bool again);
  bool Finish(const Frame& frame);
  bool KeepResults();

  void MakeConstant(int32_t tensor);
  void Start(int32_t op, bool again);
  void MakeOutput(const TraceOp& op, int32_t tensor, bool again);
  void Release(int32_t storage);
  void Lock(int32_t storage);
  void Unlock(int32_t storage);
  void Pin(int32_t storage);
  void OfferForEviction(int32_t storage);
  int32_t ChooseVictim();
  void Evict(int32_t storage);
  // For good.
  void Remove(int32_t storage);
  void FindTakers();
  bool MayBanish(int32_t storage) const;
  void Banish(int32_t storage);

  const Trace& trace_;
  const RuntimeOptions options_;
  State state_;
  std::unique_ptr<Heuristic> heuristic_;
  Pool pool_;
  RunResult result_;
  int64_t used_bytes_ = 0;
  double recompute_limit_ = 0;
  // A tensor is defined if it was made in the present generation of its storage; losing the storage starts a new one.
  std::vector<int32_t> generation_;
  std::vector<int32_t> made_in_;
  std::vector<Frame> frames_;
  // Inputs that were not defined when their operator started.
  std::vector<int32_t> missing_;
  // The second choice of the last eviction: its score is a good guess at what the next victim's is at most.
  int32_t runner_up_ = kNone;
  // Per storage the operators that take it; for banishing only.
  std::vector<std::vector<int32_t>> takers_;
  // For ignore_small.
  double seen_bytes_ = 0;
  int64_t seen_storages_ = 0;
  std::mt19937_64 generator_;
};

}  // namespace str::dtr

#endif  // STR_STRATEGIES_DTR_RUNTIME_H_
