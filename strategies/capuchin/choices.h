// What Capuchin decides, one gap after the other, as STR's authors describe it: at the peak, swap what has the largest
// free time; if no copy can be hidden, recompute what saves most bytes per second.
//
// Times are those of the step with everything kept, which Capuchin measures once. Each choice depends on the ones
// before alone, not on the budget: a smaller budget takes more of the same choices.
#ifndef STR_STRATEGIES_CAPUCHIN_CHOICES_H_
#define STR_STRATEGIES_CAPUCHIN_CHOICES_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "strategies/str/evaluation.h"
#include "strategies/str/problem.h"

namespace str::strategies {

// When the copies of one direction are under way: one at a time.
class CopyLane {
 public:
  // The start of the earliest free time of this length, not before `time`.
  double EarliestStart(double time, double seconds) const;
  // The start of the latest free time of this length that is over by `time`; may be negative.
  double LatestStart(double time, double seconds) const;
  void Reserve(double start, double seconds);
  // Takes back the reservation that starts then.
  void Release(double start);

 private:
  struct Copy {
    double start = 0;
    double end = 0;
  };
  // In order, disjoint.
  std::vector<Copy> copies_;
};

class CapuchinChoices {
 public:
  // `problem` must outlive this. At most `host_limit_bytes` are swapped; 0: no limit.
  CapuchinChoices(const Problem* problem, int64_t host_limit_bytes);

  const Decisions& decisions() const { return decisions_; }
  // Decides one gap across the peak. False if there is none left.
  bool Choose(int32_t peak_stage);
  // The last choice cannot be carried out: takes it back for good.
  void TakeBack();

 private:
  struct Copies {
    // A storage is copied to the host once, as soon as it is made; its later gaps need no other copy.
    bool copies_out = false;
    double out_start = 0;
    double in_start = 0;
    double free_seconds = 0;
  };

  Copies FindCopies(const Unit& unit) const;
  void Swap(int32_t unit, const Copies& copies);
  void Unswap(int32_t unit, const Copies& copies);
  // Seconds to make a storage again in a stage from what is there then. Adds to `sources`, if not null, the gaps of
  // storages that it takes because they are kept.
  double RemakeSeconds(int32_t storage, int32_t stage, std::vector<int32_t>* sources);
  // The gap that a storage is in during a stage, or kNone: it is used there or nothing can be decided.
  int32_t GapAt(int32_t storage, int32_t stage) const;

  const Problem& problem_;
  const int64_t host_limit_bytes_;
  Decisions decisions_;
  // By stage, and one entry for the end.
  std::vector<double> starts_;
  // By storage, the end of its producer.
  std::vector<double> made_;
  CopyLane out_, in_;
  // Per storage the end of its copy to the host; none: it is not copied.
  std::vector<std::optional<double>> copied_;
  int64_t host_bytes_ = 0;
  std::vector<int32_t> recomputed_;
  // Per unit.
  std::vector<int8_t> refused_;
  // The last choice, and its copies if it is to swap.
  int32_t last_ = 0;
  Copies last_copies_;
  // Per storage, for RemakeSeconds: the call that has seen it.
  std::vector<int32_t> seen_;
  int32_t call_ = 0;
};

}  // namespace str::strategies

#endif  // STR_STRATEGIES_CAPUCHIN_CHOICES_H_
