// The per-op model: what every plan must do about the memory of every op, as a linear model. Its minimum is at most the
// time of any plan with the problem's order that fits the budget and takes at most `most_extra_seconds` longer than the
// nodes themselves. docs/certificate.md has the model and why that is so.
//
// Glossary.
//   slot t   what a plan does between the first runs of the nodes at positions t - 1 and t: reruns and waiting.
//   event    a rerun of one node in one slot. Its memory is a row of its own; there are many, and only those are added
//            that a solution violates.
//   cut      a position for which the model also says, in one row per storage, what happens to it afterwards. Without
//            it a relaxed solution does a tenth of a rerun in ten slots, each with a tenth of its inputs.
//   window   the positions whose memory the model looks at. Before it everything counts as kept, at no cost; what comes
//            after it is one long slot in which memory is no concern. Little is lost where everything fits outside.
#ifndef STR_OPTIMIZER_BOUND_LEANMIX_MODEL_H_
#define STR_OPTIMIZER_BOUND_LEANMIX_MODEL_H_

#include <cstdint>
#include <limits>
#include <vector>

#include "optimizer/bound/cut_problem.h"
#include "optimizer/bound/usefulness.h"
#include "optimizer/ilp/linear_model.h"

namespace str::optimizer {

struct LeanMixOptions {
  int64_t budget_bytes = 0;
  // Whether plans may copy tensors to the host and back. Needs costs with copy rates.
  bool copies = false;
  // What a plan of interest takes beyond the nodes' own time.
  double most_extra_seconds = 0;
  Window window;
  // Slots whose time is counted. The window's first slot stands for all before it too, the one after it for all that
  // come: they are counted only with all that they stand for.
  Window counted = {0, std::numeric_limits<int>::max()};
  // Within the window.
  std::vector<int> cuts;
};

// What an integer solution does with a storage. Positions are increasing.
struct LeanMixFate {
  TensorId root = kNone;
  // It is on the device, and usable, when the op at the position has run, though the op need not take it.
  std::vector<int> kept;
  // Slots in which it is made again, and before whose op it arrives from the host. The last ones may stand for all that
  // come after them.
  std::vector<int> rerun;
  std::vector<int> fetched;
  // Ops during which its fetch goes on.
  std::vector<int> under_way;
};

class LeanMixModel {
 public:
  // `problem` must outlive this.
  LeanMixModel(const CutProblem* problem, const LeanMixOptions& options);

  // Its objective is the time of the step, kModelTime (single_cut.h) standing for total_seconds().
  LinearModel& model() { return model_; }
  // False: some op alone needs more than the budget; then no plan has this order, and there is no model.
  bool fits() const { return fits_; }

  // Plans lose at least this in the slots.
  void AddLeastTime(const Window& slots, double seconds);
  // Adds the rows of events that cannot be while everything is kept that their slot's op takes. They are few, and what
  // makes integer solutions costly. Returns how many.
  int AddConflicts();
  // Adds the rows of events that `values`, one per column, violate: of each slot the `most_per_slot` worst ones.
  // Returns how many.
  int AddViolatedEvents(const std::vector<double>& values, int most_per_slot);

  // Adds the rows of reruns that wait for fetches in their slot, as far as `values` violate them. Returns how many.
  int AddViolatedWaits(const std::vector<double>& values);

  // By storage that is of concern in the window or after it.
  std::vector<LeanMixFate> Fates(const std::vector<double>& values) const;

 private:
  // Instead of a column: always 0, always 1.
  static constexpr int kZero = -1;
  static constexpr int kOne = -2;

  // Columns by storage or node, and position. What has no column is kZero.
  class Columns {
   public:
    void Resize(size_t rows) { rows_.resize(rows); }
    void Set(int row, int position, int column);
    int At(int row, int position) const;

   private:
    struct Row {
      int first = 0;
      std::vector<int> columns;
    };
    std::vector<Row> rows_;
  };

  // A linear expression.
  struct Sum {
    std::vector<LinearTerm> terms;
    double constant = 0;
    void Add(int column, double coefficient);
    // Makes one term of those with the same column, as a row must have it.
    void Merge();
  };

  // Whether the time of the model's slot is counted.
  bool Counts(int slot) const;
  bool IsThere(int storage, int position) const;
  bool Takes(int position, int storage) const;
  bool RerunMayTake(int storage, int position) const;
  // The last position of the window, or the one after it, at which the storage may be of use; less than its first one
  // if none.
  int LastUse(int storage) const;
  // The last position before end_ that takes it; kNone: none does.
  int LastTaker(int storage) const;
  int FirstUseAfterWindow(int storage) const;
  void AddTimes();
  void AddReruns();
  void AddFetches(int storage);
  void AddResidence(int storage);
  void AddCopyOut(int storage);
  void AddCopyIn(int storage);
  void AddLatestBegin(int storage, int fetched, int use);
  void AddResidenceRows(int storage);
  void AddNeedRows();
  void AddMemoryRows();
  void AddTimeRows();
  void AddCopiesBeforeWindow();
  void AddCopiesAfterWindow();
  void AddCut(int cut);
  // The ways in which a storage can be available when the node at `position` runs, or a rerun in its slot.
  Sum Available(int storage, int position) const;
  // Whether the storage must be on the device while or after the node at `position` runs: kZero, kOne or a column.
  int Kept(int storage, int position) const;
  // A column for being on the device all through the slot, or kZero or kOne.
  int Held(int storage, int position);
  double HeldValue(int storage, int position, const std::vector<double>& values) const;
  double EventExcess(int node, int position, const std::vector<double>& held, const std::vector<double>& values) const;
  void AddEvent(int node, int position);
  Sum Arrival(int storage, int position) const;
  void AddRerunsAfter(const std::vector<int>& nodes, int position, const std::vector<double>& values, Sum* wait) const;
  // Adds the row that the slot is as long as `wait` and what comes after it, if it is violated.
  bool AddWait(Sum wait, const std::vector<int>& nodes, int position, const std::vector<double>& values);
  // Adds lower <= sum <= upper unless it always holds.
  void AddRow(double lower, const Sum& sum, double upper);
  double Value(int column, const std::vector<double>& values) const;
  double Value(const Sum& sum, const std::vector<double>& values) const;

  const CutProblem& problem_;
  const LeanMixOptions options_;
  const int first_, last_;
  // What is needed at this position and after it is of no concern: that time does not count.
  const int end_;
  const Usefulness usefulness_;
  // To the model's units.
  const double seconds_, bytes_;
  // The most extra time, in the model's unit.
  const double most_extra_;
  bool fits_ = true;
  LinearModel model_;

  // Storages that are of concern in the window or after it, by producer.
  std::vector<int> storages_;
  // By node, those of them that it makes.
  std::vector<std::vector<int>> made_;
  // By position: the slot's time. The one after the window is the time of all slots after it.
  std::vector<int> time_;
  // By node and slot. The slot after the window stands for all after it.
  Columns rerun_;
  // By storage and position t; docs/certificate.md names them. resident: usable when t - 1 begins and there when it
  // ends. fetched: arrives before t begins; after the window: arrives at all. under_way: its fetch goes on while t
  // runs.
  Columns resident_, fetched_, under_way_;
  // Shares of its copy in and out during slot t, during t, and in all before t begins.
  Columns in_slot_, in_run_, in_done_, out_slot_, out_run_, out_done_;
  Columns held_, event_added_;
};

}  // namespace str::optimizer

#endif  // STR_OPTIMIZER_BOUND_LEANMIX_MODEL_H_
