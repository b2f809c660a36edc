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
  Builder(const CutProblem& problem, int cut, const SingleCutOptions& options)
      : problem_(problem),
        cut_(cut),
        options_(options),
        seconds_(kModelTime / problem.total_seconds()),
        bytes_(kModelBudget / options.budget_bytes),
        free_bytes_(options.budget_bytes - problem.WorkingSet(cut)),
        there_(problem.storages().size(), 0),
        wanted_(problem.storages().size(), 0),
        resident_(problem.storages().size(), kNone),
        fetched_(problem.storages().size(), kNone),
        rerun_(problem.positions(), kNone) {}

  std::optional<SingleCut> Build() {
    FindThere();
    if (free_bytes_ < 0) return std::nullopt;
    FindWanted();
    model_.set_offset(kModelTime);
    before_ = model_.AddContinuous(0, (kLongest - 1) * kModelTime, 1);
    after_ = model_.AddContinuous(0, (kLongest - 1) * kModelTime, 1);
    AddColumns();
    AddMemory();
    AddNeeds();
    AddReruns();
    if (options_.copies) {
      AddCopiesOut();
      AddCopiesIn();
    }
    return SingleCut{std::move(model_), std::move(resident_), std::move(fetched_), std::move(rerun_), copy_price_};
  }

 private:
  // There while the cut's op runs, whatever is planned: its inputs, and what is held from outside.
  void FindThere() {
    for (const int id : problem_.node(cut_).inputs) there_[id] = 1;
    for (size_t id = 0; id < there_.size(); ++id) {
      const CutStorage& storage = problem_.storages()[id];
      if (there_[id] || storage.producer >= cut_ || storage.held_after >= cut_) continue;
      there_[id] = 1;
      free_bytes_ -= storage.rounded_bytes;
    }
  }

  bool Needed(int id) const {
    const CutStorage& storage = problem_.storages()[id];
    return storage.producer < cut_ && !storage.uses.empty() && storage.uses.back() > cut_ && !there_[id];
  }

  // What is needed after the cut, and what it takes to make that again.
  void FindWanted() {
    for (size_t id = 0; id < wanted_.size(); ++id) {
      if (Needed(static_cast<int>(id))) Want(static_cast<int>(id));
    }
    for (size_t next = 0; next < list_.size(); ++next) {
      const CutNode& producer = problem_.node(problem_.storages()[list_[next]].producer);
      if (!producer.may_rerun) continue;
      for (const int input : producer.inputs) {
        if (!there_[input]) Want(input);
      }
    }
  }

  void Want(int id) {
    if (wanted_[id]) return;
    wanted_[id] = 1;
    list_.push_back(id);
  }

  void AddColumns() {
    for (const int id : list_) {
      const int producer = problem_.storages()[id].producer;
      resident_[id] = model_.AddBinary(0);
      if (options_.copies) {
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
    for (const int id : list_) terms.push_back({resident_[id], problem_.storages()[id].rounded_bytes * bytes_});
    model_.AddRow(-kOpen, terms, free_bytes_ * bytes_);
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
    for (const int id : list_) {
      if (Needed(id)) model_.AddRow(1, Available(id), kOpen);
    }
  }

  void AddReruns() {
    std::vector<LinearTerm> time = {{after_, 1}};
    for (int position = 0; position < cut_; ++position) {
      if (rerun_[position] == kNone) continue;
      time.push_back({rerun_[position], -problem_.node(position).seconds * seconds_});
      for (const int input : problem_.node(position).inputs) {
        if (!wanted_[input]) continue;
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

  // What is fetched after the cut was copied out between its making and the cut.
  void AddCopiesOut() {
    std::sort(list_.begin(), list_.end(),
              [this](int a, int b) { return problem_.storages()[a].producer > problem_.storages()[b].producer; });
    int sum = kNone;
    double most = 0;
    for (const int id : list_) {
      const CutStorage& storage = problem_.storages()[id];
      AddToSum({fetched_[id], storage.copy_out_seconds * seconds_}, problem_.Seconds(storage.producer + 1, cut_),
               before_, &sum, &most);
    }
  }

  int FirstUseAfterCut(int id) const {
    const std::vector<int>& uses = problem_.storages()[id].uses;
    const auto use = std::upper_bound(uses.begin(), uses.end(), cut_);
    return use == uses.end() ? problem_.positions() : *use;
  }

  // And copied in between the cut and its first use after it.
  void AddCopiesIn() {
    std::vector<std::pair<int, int>> by_use;
    for (const int id : list_) by_use.push_back({FirstUseAfterCut(id), id});
    std::sort(by_use.begin(), by_use.end());
    int sum = kNone;
    double most = 0;
    for (const auto& [use, id] : by_use) {
      AddToSum({fetched_[id], problem_.storages()[id].copy_in_seconds * seconds_}, problem_.Seconds(cut_ + 1, use),
               after_, &sum, &most);
    }
  }

  const CutProblem& problem_;
  const int cut_;
  const SingleCutOptions& options_;
  // To the model's units.
  const double seconds_, bytes_;
  // For what is carried past the cut's op.
  int64_t free_bytes_;
  std::vector<char> there_, wanted_;
  // The wanted ones.
  std::vector<int> list_;
  // Columns: by storage, by storage, by position.
  std::vector<int> resident_, fetched_, rerun_;
  // Time beyond the nodes' own before and after the cut.
  int before_ = kNone, after_ = kNone;
  double copy_price_ = 0;
  LinearModel model_;
};

}  // namespace

std::optional<SingleCut> SingleCutModel(const CutProblem& problem, int position, const SingleCutOptions& options) {
  return Builder(problem, position, options).Build();
}

}  // namespace str::optimizer
