#include "optimizer/bound/leanmix_model.h"

#include <algorithm>
#include <utility>

#include "optimizer/bound/single_cut.h"

namespace str::optimizer {
namespace {

// The budget in the model's unit.
constexpr double kModelBudget = 100;
constexpr double kOpen = LinearModel::kOpen;

// At most this share of a copy is done in the time.
double Share(double time, double copy) { return copy > 0 ? std::min(1.0, time / copy) : 1.0; }

}  // namespace

void LeanMixModel::Columns::Set(int row, int position, int column) {
  Row& to = rows_[row];
  if (to.columns.empty()) to.first = position;
  if (position < to.first) {
    to.columns.insert(to.columns.begin(), to.first - position, kZero);
    to.first = position;
  }
  if (position >= to.first + static_cast<int>(to.columns.size())) to.columns.resize(position - to.first + 1, kZero);
  to.columns[position - to.first] = column;
}

int LeanMixModel::Columns::At(int row, int position) const {
  const Row& from = rows_[row];
  const int index = position - from.first;
  return index < 0 || index >= static_cast<int>(from.columns.size()) ? kZero : from.columns[index];
}

void LeanMixModel::Sum::Add(int column, double coefficient) {
  if (column == kOne) {
    constant += coefficient;
  } else if (column != kZero) {
    terms.push_back({column, coefficient});
  }
}

LeanMixModel::LeanMixModel(const CutProblem* problem, const LeanMixOptions& options)
    : problem_(*problem),
      options_(options),
      first_(options.window.first),
      last_(options.window.last),
      end_(options.counted.last >= problem->positions() ? problem->positions() : last_ + 1),
      usefulness_(*problem, end_),
      seconds_(kModelTime / problem->total_seconds()),
      bytes_(kModelBudget / options.budget_bytes),
      most_extra_(std::min(options.most_extra_seconds * seconds_, (kLongest - 1) * kModelTime)) {
  const size_t storages = problem_.storages().size();
  for (Columns* columns : {&resident_, &fetched_, &under_way_, &in_slot_, &in_run_, &in_done_, &out_slot_, &out_run_,
                           &out_done_, &held_}) {
    columns->Resize(storages);
  }
  rerun_.Resize(problem_.positions());
  event_added_.Resize(problem_.positions());
  for (size_t id = 0; id < storages; ++id) {
    const CutStorage& storage = problem_.storages()[id];
    const bool concerns = usefulness_.last_use[id] >= first_ || storage.held_after <= last_;
    if (storage.producer <= last_ && concerns) storages_.push_back(static_cast<int>(id));
  }
  std::stable_sort(storages_.begin(), storages_.end(),
                   [this](int a, int b) { return problem_.storages()[a].producer < problem_.storages()[b].producer; });
  made_.resize(problem_.positions());
  for (const int id : storages_) made_[problem_.storages()[id].producer].push_back(id);
  model_.set_offset(kModelTime);
  AddTimes();
  AddReruns();
  for (const int id : storages_) {
    if (options_.copies) AddFetches(id);
    AddResidence(id);
  }
  for (const int id : storages_) {
    AddResidenceRows(id);
    if (!options_.copies) continue;
    AddCopyOut(id);
    AddCopyIn(id);
  }
  AddNeedRows();
  AddMemoryRows();
  AddTimeRows();
  if (options_.copies) {
    AddCopiesBeforeWindow();
    AddCopiesAfterWindow();
  }
  for (const int cut : options_.cuts) AddCut(cut);
}

bool LeanMixModel::IsThere(int storage, int position) const {
  return position > problem_.storages()[storage].held_after;
}

bool LeanMixModel::Takes(int position, int storage) const {
  const std::vector<int>& inputs = problem_.node(position).inputs;
  return std::find(inputs.begin(), inputs.end(), storage) != inputs.end();
}

int LeanMixModel::LastUse(int storage) const {
  return std::min({usefulness_.last_use[storage], problem_.storages()[storage].held_after, last_ + 1});
}

int LeanMixModel::LastTaker(int storage) const {
  const std::vector<int>& uses = problem_.storages()[storage].uses;
  const auto after = std::lower_bound(uses.begin(), uses.end(), end_);
  return after == uses.begin() ? kNone : *(after - 1);
}

int LeanMixModel::FirstUseAfterWindow(int storage) const {
  const std::vector<int>& uses = problem_.storages()[storage].uses;
  const auto use = std::upper_bound(uses.begin(), uses.end(), last_);
  return use == uses.end() ? problem_.positions() : *use;
}

bool LeanMixModel::Counts(int slot) const {
  const int first = slot == first_ ? 0 : slot;
  const int last = slot > last_ ? problem_.positions() : slot;
  return options_.counted.first <= first && last <= options_.counted.last;
}

void LeanMixModel::AddTimes() {
  Sum all;
  time_.assign(last_ + 2, kZero);
  for (int position = first_; position <= last_ + 1; ++position) {
    time_[position] = model_.AddContinuous(0, most_extra_, Counts(position) ? 1 : 0);
    all.Add(time_[position], 1);
  }
  AddRow(-kOpen, all, most_extra_);
}

void LeanMixModel::AddLeastTime(const Window& slots, double seconds) {
  Sum sum;
  const int last = std::min(slots.last, last_ + 1);
  for (int slot = std::max(slots.first, first_); slot <= last; ++slot) sum.Add(time_[slot], 1);
  AddRow(seconds * seconds_, sum, kOpen);
}

void LeanMixModel::AddReruns() {
  for (int node = 0; node <= last_; ++node) {
    if (problem_.node(node).seconds * seconds_ > most_extra_) continue;
    const int end = std::min(usefulness_.last_rerun[node], last_ + 1);
    for (int position = std::max(first_, node + 1); position <= end; ++position) {
      rerun_.Set(node, position, model_.AddBinary(0));
    }
  }
}

// Whether a rerun in the slot can take the storage.
bool LeanMixModel::RerunMayTake(int storage, int position) const {
  for (const int use : problem_.storages()[storage].uses) {
    if (use < position && rerun_.At(use, position) != kZero) return true;
  }
  return false;
}

void LeanMixModel::AddFetches(int id) {
  const CutStorage& storage = problem_.storages()[id];
  const double out = storage.copy_out_seconds * seconds_, in = storage.copy_in_seconds * seconds_;
  const int made = storage.producer;
  const int end = LastUse(id);
  for (int position = std::max(first_, made + 1); position <= end; ++position) {
    const bool after = position > last_;
    const int use = after ? FirstUseAfterWindow(id) : position;
    const bool taken = after || Takes(position, id) || RerunMayTake(id, position);
    if (taken && problem_.Seconds(made + 1, use) * seconds_ + most_extra_ >= out + in) {
      fetched_.Set(id, position, model_.AddBinary(0));
    }
    if (position < end && problem_.Seconds(made + 1, position + 1) * seconds_ + most_extra_ >= out) {
      under_way_.Set(id, position, model_.AddBinary(0));
    }
  }
}

void LeanMixModel::AddResidence(int id) {
  const CutStorage& storage = problem_.storages()[id];
  const int end = LastUse(id);
  const int first = std::max(first_, storage.producer + 1);
  // Before the window everything is kept, and what an op makes is there when it ends.
  if (first <= end) resident_.Set(id, first, kOne);
  // Without another way to have it again, it stays until its last use; with only copies, until one can be done.
  bool made_again = LastTaker(id) == kNone, fetched = false;
  for (int position = first; position <= end; ++position) {
    made_again = made_again || rerun_.At(storage.producer, position) != kZero;
    fetched = fetched || fetched_.At(id, position) != kZero;
  }
  const double out = storage.copy_out_seconds * seconds_ - most_extra_;
  for (int position = first + 1; position <= end; ++position) {
    const bool copied = fetched && problem_.Seconds(storage.producer + 1, position - 1) * seconds_ >= out;
    const bool stays = !made_again && !copied && LastTaker(id) >= position;
    resident_.Set(id, position, stays ? kOne : model_.AddBinary(0));
  }
  for (int position = std::max(first, storage.held_after + 1); position <= last_ + 1; ++position) {
    resident_.Set(id, position, kOne);
  }
}

LeanMixModel::Sum LeanMixModel::Available(int id, int position) const {
  Sum sum;
  if (IsThere(id, position)) {
    sum.constant = 1;
    return sum;
  }
  sum.Add(resident_.At(id, position), 1);
  sum.Add(rerun_.At(problem_.storages()[id].producer, position), 1);
  sum.Add(fetched_.At(id, position), 1);
  return sum;
}

void LeanMixModel::AddRow(double lower, const Sum& sum, double upper) {
  double least = sum.constant, most = sum.constant;
  for (const LinearTerm& term : sum.terms) {
    const LinearModel::Column& column = model_.columns()[term.column];
    least += std::min(term.coefficient * column.lower, term.coefficient * column.upper);
    most += std::max(term.coefficient * column.lower, term.coefficient * column.upper);
  }
  if (least >= lower && most <= upper) return;
  model_.AddRow(lower - sum.constant, sum.terms, upper - sum.constant);
}

// What is there at the end of an op was available when it began.
void LeanMixModel::AddResidenceRows(int id) {
  const int end = LastUse(id);
  for (int position = std::max(first_, problem_.storages()[id].producer + 1) + 1; position <= end; ++position) {
    Sum sum = Available(id, position - 1);
    sum.constant = -sum.constant;
    for (LinearTerm& term : sum.terms) term.coefficient = -term.coefficient;
    sum.Add(resident_.At(id, position), 1);
    AddRow(-kOpen, sum, 0);
  }
}

// The first copy out of the storage.
void LeanMixModel::AddCopyOut(int id) {
  const CutStorage& storage = problem_.storages()[id];
  const double out = storage.copy_out_seconds * seconds_;
  int last_fetch = 0;
  for (int position = first_; position <= last_ + 1; ++position) {
    if (fetched_.At(id, position) != kZero) last_fetch = position;
  }
  if (last_fetch == 0) return;
  int done = kZero, run = kZero;
  if (storage.producer + 1 < first_) {
    const double before = problem_.Seconds(storage.producer + 1, first_) * seconds_;
    done = model_.AddContinuous(0, Share(before, out), 0);
    out_done_.Set(id, first_ - 1, done);
  }
  for (int position = std::max(first_, storage.producer + 1); position <= last_fetch; ++position) {
    const bool after = position > last_;
    Sum sum;
    sum.Add(done, -1);
    sum.Add(run, -1);
    if (!after) {
      const int slot = model_.AddContinuous(0, Share(most_extra_, out), 0);
      out_slot_.Set(id, position, slot);
      sum.Add(slot, -1);
      // It takes something to copy from.
      Sum from;
      from.Add(slot, 1);
      from.Add(resident_.At(id, position), -1);
      from.Add(rerun_.At(storage.producer, position), -1);
      AddRow(-kOpen, from, 0);
    }
    done = model_.AddContinuous(0, 1, 0);
    out_done_.Set(id, position, done);
    sum.Add(done, 1);
    AddRow(0, sum, 0);
    Sum copied;
    copied.Add(fetched_.At(id, position), 1);
    copied.Add(done, -1);
    AddRow(-kOpen, copied, 0);
    if (after || position == last_fetch) continue;
    const double share = Share(problem_.node(position).seconds * seconds_, out);
    run = model_.AddContinuous(0, share, 0);
    out_run_.Set(id, position, run);
    // It is held until its copy is done.
    Sum held;
    held.Add(run, 1);
    held.Add(resident_.At(id, position + 1), -share);
    AddRow(-kOpen, held, 0);
    Sum begun;
    begun.Add(under_way_.At(id, position), 1);
    begun.Add(done, -1);
    begun.Add(run, -1);
    AddRow(-kOpen, begun, 0);
  }
}

// Copies in, one after the other. A fetch that arrives before `use` is under way during all ops for which there is no
// time any more to begin it after them.
void LeanMixModel::AddLatestBegin(int id, int fetched, int use) {
  const double in = problem_.storages()[id].copy_in_seconds * seconds_ - most_extra_;
  for (int position = std::min(use - 1, last_); position >= first_; --position) {
    if (problem_.Seconds(position + 1, use) * seconds_ >= in) return;
    Sum sum;
    sum.Add(under_way_.At(id, position), 1);
    sum.Add(fetched, -1);
    AddRow(0, sum, kOpen);
  }
}

void LeanMixModel::AddCopyIn(int id) {
  const CutStorage& storage = problem_.storages()[id];
  const double in = storage.copy_in_seconds * seconds_;
  int done = kZero, run = kZero;
  for (int position = std::max(first_, storage.producer + 1); position <= last_; ++position) {
    const int fetched = fetched_.At(id, position), under_way = under_way_.At(id, position);
    if (fetched == kZero && under_way == kZero) {
      done = run = kZero;
      continue;
    }
    if (fetched != kZero) AddLatestBegin(id, fetched, position);
    const int slot = model_.AddContinuous(0, in > 0 ? std::min(2.0, most_extra_ / in) : 2, 0);
    in_slot_.Set(id, position, slot);
    const int next = under_way == kZero ? kZero : model_.AddContinuous(0, 1, 0);
    Sum progress;
    progress.Add(next, 1);
    progress.Add(done, -1);
    progress.Add(run, -1);
    progress.Add(slot, -1);
    progress.Add(fetched, 1);
    AddRow(0, progress, 0);
    done = next;
    run = kZero;
    if (under_way == kZero) continue;
    in_done_.Set(id, position, done);
    Sum begun;
    begun.Add(done, 1);
    begun.Add(under_way, -1);
    AddRow(-kOpen, begun, 0);
    const double share = Share(problem_.node(position).seconds * seconds_, in);
    run = model_.AddContinuous(0, share, 0);
    in_run_.Set(id, position, run);
    Sum held;
    held.Add(run, 1);
    held.Add(under_way, -share);
    AddRow(-kOpen, held, 0);
    // Once begun, a fetch goes on until it arrives.
    Sum goes_on;
    goes_on.Add(under_way_.At(id, position - 1), 1);
    goes_on.Add(fetched, -1);
    goes_on.Add(under_way, -1);
    AddRow(-kOpen, goes_on, 0);
  }
}

void LeanMixModel::AddNeedRows() {
  for (int position = first_; position <= last_; ++position) {
    for (const int id : problem_.node(position).inputs) AddRow(1, Available(id, position), kOpen);
  }
  for (const int id : storages_) {
    if (LastTaker(id) > last_) AddRow(1, Available(id, last_ + 1), kOpen);
  }
  for (int node = 0; node <= last_; ++node) {
    for (int position = first_; position <= last_ + 1; ++position) {
      const int rerun = rerun_.At(node, position);
      if (rerun == kZero) continue;
      for (const int id : problem_.node(node).inputs) {
        Sum sum = Available(id, position);
        sum.Add(rerun, -1);
        AddRow(0, sum, kOpen);
      }
    }
  }
}

void LeanMixModel::AddMemoryRows() {
  for (int position = first_; position <= last_; ++position) {
    Sum sum;
    int64_t there = problem_.WorkingSet(position);
    for (const int id : storages_) {
      const CutStorage& storage = problem_.storages()[id];
      if (storage.producer >= position || Takes(position, id)) continue;
      const int resident = resident_.At(id, position + 1);
      if (IsThere(id, position) || resident == kOne) {
        there += storage.rounded_bytes;
        continue;
      }
      sum.Add(resident, storage.rounded_bytes * bytes_);
      sum.Add(under_way_.At(id, position), storage.rounded_bytes * bytes_);
    }
    fits_ = fits_ && there <= options_.budget_bytes;
    AddRow(-kOpen, sum, (options_.budget_bytes - there) * bytes_);
  }
}

void LeanMixModel::AddTimeRows() {
  for (int position = first_; position <= last_ + 1; ++position) {
    Sum reruns;
    reruns.Add(time_[position], 1);
    for (int node = 0; node <= last_; ++node) {
      reruns.Add(rerun_.At(node, position), -problem_.node(node).seconds * seconds_);
    }
    AddRow(0, reruns, kOpen);
    if (!options_.copies || position > last_) continue;
    Sum out_slot, in_slot, out_run, in_run;
    out_slot.Add(time_[position], 1);
    in_slot.Add(time_[position], 1);
    for (const int id : storages_) {
      const double out = problem_.storages()[id].copy_out_seconds * seconds_;
      const double in = problem_.storages()[id].copy_in_seconds * seconds_;
      out_slot.Add(out_slot_.At(id, position), -out);
      in_slot.Add(in_slot_.At(id, position), -in);
      out_run.Add(out_run_.At(id, position), out);
      in_run.Add(in_run_.At(id, position), in);
    }
    AddRow(0, out_slot, kOpen);
    AddRow(0, in_slot, kOpen);
    const double run = problem_.node(position).seconds * seconds_;
    AddRow(-kOpen, out_run, run);
    AddRow(-kOpen, in_run, run);
  }
}

// Copies out before the window lie between the making of their storage and the window.
void LeanMixModel::AddCopiesBeforeWindow() {
  std::vector<int> latest_first = storages_;
  std::reverse(latest_first.begin(), latest_first.end());
  int sum = kZero;
  double most = 0;
  for (const int id : latest_first) {
    const int done = out_done_.At(id, first_ - 1);
    if (done == kZero) continue;
    const CutStorage& storage = problem_.storages()[id];
    const double out = storage.copy_out_seconds * seconds_;
    most = std::min(most + out, kModelTime);
    const int next =
        model_.AddContinuous(0, std::min(most, problem_.Seconds(storage.producer + 1, first_) * seconds_), 0);
    Sum row;
    row.Add(next, 1);
    row.Add(sum, -1);
    row.Add(done, -out);
    AddRow(0, row, 0);
    sum = next;
  }
}

// Copies in after the window, without what was done of them within it, end before the storage's next use.
void LeanMixModel::AddCopiesAfterWindow() {
  std::vector<std::pair<int, int>> by_use;
  for (const int id : storages_) {
    if (fetched_.At(id, last_ + 1) != kZero) by_use.push_back({FirstUseAfterWindow(id), id});
  }
  std::sort(by_use.begin(), by_use.end());
  int sum = kZero;
  for (const auto& [use, id] : by_use) {
    const double in = problem_.storages()[id].copy_in_seconds * seconds_;
    const int fetched = fetched_.At(id, last_ + 1);
    const int done = in_done_.At(id, last_), run = in_run_.At(id, last_);
    AddLatestBegin(id, fetched, use);
    for (const bool share : {false, true}) {
      Sum begun;
      begun.Add(fetched, 1);
      begun.Add(share ? done : under_way_.At(id, last_), -1);
      begun.Add(share ? run : kZero, -1);
      AddRow(0, begun, kOpen);
    }
    const int next = model_.AddContinuous(0, kLongest * kModelTime, 0);
    Sum row;
    row.Add(next, 1);
    row.Add(sum, -1);
    row.Add(fetched, -in);
    row.Add(done, in);
    row.Add(run, in);
    AddRow(0, row, 0);
    Sum time;
    time.Add(next, 1);
    time.Add(time_[last_ + 1], -1);
    AddRow(-kOpen, time, problem_.Seconds(last_ + 1, use) * seconds_);
    sum = next;
  }
}

std::vector<LeanMixFate> LeanMixModel::Fates(const std::vector<double>& values) const {
  std::vector<LeanMixFate> fates;
  for (const int id : storages_) {
    const CutStorage& storage = problem_.storages()[id];
    LeanMixFate fate;
    fate.root = storage.root;
    for (int position = storage.producer; position < first_; ++position) fate.kept.push_back(position);
    for (int position = std::max(first_, storage.producer); position <= last_ + 1; ++position) {
      const auto is_set = [&](int column) { return Value(column, values) > 0.5; };
      if (is_set(rerun_.At(storage.producer, position))) fate.rerun.push_back(position);
      if (is_set(fetched_.At(id, position))) fate.fetched.push_back(position);
      if (is_set(under_way_.At(id, position))) fate.under_way.push_back(position);
      if (is_set(resident_.At(id, position + 1))) fate.kept.push_back(position);
    }
    fates.push_back(std::move(fate));
  }
  return fates;
}

double LeanMixModel::Value(int column, const std::vector<double>& values) const {
  return column == kOne ? 1 : column == kZero ? 0 : values[column];
}

}  // namespace str::optimizer
