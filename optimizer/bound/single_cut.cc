#include "optimizer/bound/single_cut.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace str::optimizer {
namespace {

// The budget in the model's unit.
constexpr double kModelBudget = 100;
constexpr double kOpen = LinearModel::kOpen;
// Of the copies' time: what a copy costs that nothing waits for.
constexpr double kCopyPrice = 3e-6;

class Builder {
 public:
  Builder(const CutProblem& problem, const CutView& view, bool copies)
      : problem_(problem),
        view_(view),
        copies_(copies),
        seconds_(kModelTime / problem.total_seconds()),
        bytes_(kModelBudget / static_cast<double>(view.budget_bytes)),
        wanted_(view.Wanted(problem)),
        is_wanted_(problem.storages().size(), 0),
        resident_(problem.storages().size(), kNone),
        fetched_(problem.storages().size(), kNone),
        rerun_(problem.positions(), kNone) {
    for (const int id : wanted_) is_wanted_[id] = 1;
  }

  std::optional<SingleCut> Build() {
    if (view_.free_bytes < 0) return std::nullopt;
    model_.set_offset(kModelTime);
    before_ = model_.AddContinuous(0, (kLongest - 1) * kModelTime, 1);
    after_ = model_.AddContinuous(0, (kLongest - 1) * kModelTime, 1);
    AddColumns();
    AddMemory();
    AddNeeds();
    AddReruns();
    if (copies_) {
      AddCopiesOut();
      AddCopiesIn();
    }
    return SingleCut{std::move(model_), std::move(resident_), std::move(fetched_), std::move(rerun_), copy_price_};
  }

 private:
  void AddColumns() {
    for (const int id : wanted_) {
      const int producer = problem_.storages()[id].producer;
      resident_[id] = model_.AddBinary(0);
      if (copies_) {
        const CutStorage& storage = problem_.storages()[id];
        const double price = kCopyPrice * (storage.copy_out_seconds + storage.copy_in_seconds) * seconds_;
        fetched_[id] = model_.AddBinary(price);
        copy_price_ += price;
      }
      if (problem_.node(producer).may_rerun && rerun_[producer] == kNone) rerun_[producer] = model_.AddBinary(0);
    }
  }

  void AddMemory() {
    std::vector<LinearTerm> terms;
    for (const int id : wanted_) terms.push_back({resident_[id], problem_.storages()[id].rounded_bytes * bytes_});
    model_.AddRow(-kOpen, terms, view_.free_bytes * bytes_);
  }

  // The ways in which a storage can be available after the cut.
  std::vector<LinearTerm> Available(int id) const {
    std::vector<LinearTerm> terms = {{resident_[id], 1}};
    if (fetched_[id] != kNone) terms.push_back({fetched_[id], 1});
    const int rerun = rerun_[problem_.storages()[id].producer];
    if (rerun != kNone) terms.push_back({rerun, 1});
    return terms;
  }

  void AddNeeds() {
    for (const int id : wanted_) {
      if (view_.is_needed[id]) model_.AddRow(1, Available(id), kOpen);
    }
  }

  void AddReruns() {
    std::vector<LinearTerm> time = {{after_, 1}};
    for (int position = 0; position < problem_.positions(); ++position) {
      if (rerun_[position] == kNone) continue;
      time.push_back({rerun_[position], -problem_.node(position).seconds * seconds_});
      for (const int input : problem_.node(position).inputs) {
        if (!is_wanted_[input]) continue;
        std::vector<LinearTerm> terms = Available(input);
        terms.push_back({rerun_[position], -1});
        model_.AddRow(0, terms, kOpen);
      }
    }
    model_.AddRow(0, time, kOpen);
  }

  // Adds `term` to a running sum of copies that all lie within `available` seconds and the extra time.
  void AddToSum(const LinearTerm& term, double available, int extra, int* sum, double* most) {
    *most = std::min(*most + term.coefficient, kLongest * kModelTime);
    const int next = model_.AddContinuous(0, *most, 0);
    std::vector<LinearTerm> terms = {{next, 1}, {term.column, -term.coefficient}};
    if (*sum != kNone) terms.push_back({*sum, -1});
    model_.AddRow(0, terms, 0);
    model_.AddRow(-kOpen, {{next, 1}, {extra, -1}}, available * seconds_);
    *sum = next;
  }

  // Copies that begin or end beside the cut, `seconds` by storage away from it at most: of those within any distance,
  // the sum must fit into it and the extra time.
  template <typename CopySeconds>
  void AddCopies(const std::vector<double>& seconds, int extra, const CopySeconds& copy_seconds) {
    std::vector<int> by_distance = wanted_;
    std::stable_sort(by_distance.begin(), by_distance.end(), [&](int a, int b) { return seconds[a] < seconds[b]; });
    int sum = kNone;
    double most = 0;
    for (const int id : by_distance) {
      const double copy = copy_seconds(problem_.storages()[id]);
      AddToSum({fetched_[id], copy * seconds_}, seconds[id], extra, &sum, &most);
    }
  }

  // What is fetched after the cut was copied out between its making and the cut.
  void AddCopiesOut() {
    AddCopies(view_.seconds_to_cut, before_, [](const CutStorage& storage) { return storage.copy_out_seconds; });
  }

  // And copied in between the cut and its first use after it.
  void AddCopiesIn() {
    AddCopies(view_.seconds_from_cut, after_, [](const CutStorage& storage) { return storage.copy_in_seconds; });
  }

  const CutProblem& problem_;
  const CutView& view_;
  const bool copies_;
  // To the model's units.
  const double seconds_, bytes_;
  const std::vector<int> wanted_;
  std::vector<char> is_wanted_;
  // Columns: by storage, by storage, by position.
  std::vector<int> resident_, fetched_, rerun_;
  // Time beyond the nodes' own before and after the cut.
  int before_ = kNone, after_ = kNone;
  double copy_price_ = 0;
  LinearModel model_;
};

}  // namespace

std::optional<SingleCut> SingleCutModel(const CutProblem& problem, const CutView& view, bool copies) {
  return Builder(problem, view, copies).Build();
}

}  // namespace str::optimizer
