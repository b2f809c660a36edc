// The problem in the few flat arrays that a search evaluates thousands of times a second.
//
// Condensed without loss: stages that neither make nor take a storage that is decided are merged with their neighbours,
// because whatever is decided, the same storages are there in all of them. A captured graph of thousands of nodes
// shrinks to the hundreds that matter.
//
// Memory is what the judge counts with everything kept; evaluating takes off what is dropped. So temporaries, takeovers
// of buffers and small tensors are in it as they are. Storages that are not decided, but not tiny either, are in it
// without units: a rerun that takes one after its last use prolongs its life. Two things are simplified: of several
// inputs whose buffer an output could take over once they are dropped only one is known, and rerunning views of a
// restored storage takes no time. The judge has the last word on every plan.
#ifndef STR_STRATEGIES_STR_LEAN_MODEL_H_
#define STR_STRATEGIES_STR_LEAN_MODEL_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "strategies/str/problem.h"

namespace str::strategies {

struct LeanStage {
  double seconds = 0;
  // With everything kept: the most bytes while it runs, and those in use just before it.
  int64_t kept_bytes = 0;
  int64_t kept_before_bytes = 0;
  // Needed while it runs again: temporaries, and outputs that are not decided.
  int64_t rerun_bytes = 0;
};

struct LeanStorage {
  int32_t producer = 0;
  // Its units are [first_unit, end_unit), the afterlife last.
  int32_t first_unit = 0;
  int32_t end_unit = 0;
  // The unit, or kNone.
  int32_t afterlife = optimizer::kNone;
  int32_t last_use = 0;
  // Its last use takes over its buffer, unless it stays for reruns.
  bool taken_over = false;
  int64_t bytes = 0;
  // 0 if nothing may be copied.
  double copy_out_seconds = 0;
  double copy_in_seconds = 0;
  // The storage whose buffer the producer takes over if nobody else needs it, or kNone.
  int32_t takes_over = optimizer::kNone;
};

// A unit of the problem, by condensed stages. One that begins at the last use ends at stages().
struct LeanUnit {
  int32_t storage = 0;
  int32_t from = 0;
  int32_t to = 0;
  bool afterlife = false;
  bool hands_over = false;
};

class LeanModel {
 public:
  // `problem` must outlive this.
  explicit LeanModel(const Problem* problem);

  const Problem& problem() const { return problem_; }
  int stages() const { return static_cast<int>(stages_.size()); }
  // Those of the problem first, with the same ids; then those that are not decided.
  int storages() const { return static_cast<int>(storages_.size()); }
  int units() const { return static_cast<int>(units_.size()); }
  const LeanStage& stage(int t) const { return stages_[t]; }
  const LeanStorage& storage(int32_t s) const { return storages_[s]; }
  const LeanUnit& unit(int32_t u) const { return units_[u]; }
  // Storages that a stage takes, each once, and those that it makes.
  absl::Span<const int32_t> inputs(int t) const { return Row(inputs_, first_input_, t); }
  absl::Span<const int32_t> outputs(int t) const { return Row(outputs_, first_output_, t); }
  // All units but afterlives, by the stage in which they end.
  const std::vector<int32_t>& units_by_end() const { return units_by_end_; }
  double compute_seconds() const { return compute_seconds_; }
  // With everything kept.
  int64_t peak_bytes() const { return peak_bytes_; }

 private:
  static absl::Span<const int32_t> Row(const std::vector<int32_t>& values, const std::vector<int32_t>& first, int t) {
    return absl::MakeConstSpan(values.data() + first[t], first[t + 1] - first[t]);
  }
  // Returns the stage of the problem that each condensed one stands for, or kNone for a merged run.
  std::vector<int32_t> Condense();
  void FindKeptBytes();
  void AddStorages();
  // Storages that are not decided: sets `storage_of_` for their tensors.
  void AddUndecided();
  void AddStageRows(const std::vector<int32_t>& full_stage);
  void FindTakeovers();

  const Problem& problem_;
  std::vector<LeanStage> stages_;
  std::vector<LeanStorage> storages_;
  std::vector<LeanUnit> units_;
  std::vector<int32_t> units_by_end_;
  std::vector<int32_t> inputs_, outputs_, first_input_, first_output_;
  // By stage of the problem.
  std::vector<int32_t> condensed_;
  // By tensor; kNone: in no storage.
  std::vector<int32_t> storage_of_;
  double compute_seconds_ = 0;
  int64_t peak_bytes_ = 0;
};

}  // namespace str::strategies

#endif  // STR_STRATEGIES_STR_LEAN_MODEL_H_
