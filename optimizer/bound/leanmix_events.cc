// Rows of the per-op model that are not there from the start: cuts and events.
#include <algorithm>
#include <utility>

#include "optimizer/bound/leanmix_model.h"

namespace str::optimizer {
namespace {

constexpr double kOpen = LinearModel::kOpen;
// In the model's unit: what counts as violated.
constexpr double kViolated = 1e-4;

}  // namespace

void LeanMixModel::AddCut(int cut) {
  // By node: rerun at least once after the cut.
  std::vector<int> again(problem_.positions(), kZero);
  Sum time;
  for (int position = cut + 1; position <= last_ + 1; ++position) time.Add(time_[position], 1);
  for (int node = 0; node <= cut; ++node) {
    Sum reruns;
    for (int position = cut + 1; position <= last_ + 1; ++position) reruns.Add(rerun_.At(node, position), 1);
    if (reruns.terms.empty()) continue;
    again[node] = model_.AddBinary(0);
    reruns.Add(again[node], -1);
    AddRow(0, reruns, kOpen);
    time.Add(again[node], -problem_.node(node).seconds * seconds_);
  }
  AddRow(0, time, kOpen);
  // A storage that somebody takes after the cut is on the device when the cut's op has run, or on its way, or made
  // again, or was copied before the cut's op ran and is fetched after it.
  const auto afterwards = [&](int id, bool copied_out) {
    Sum sum;
    if (IsThere(id, cut + 1)) {
      sum.constant = 1;
      return sum;
    }
    const CutStorage& storage = problem_.storages()[id];
    sum.Add(resident_.At(id, cut + 1), 1);
    sum.Add(under_way_.At(id, cut), 1);
    sum.Add(again[storage.producer], 1);
    if (copied_out) {
      sum.Add(out_done_.At(id, cut), 1);
    } else {
      for (int position = cut + 1; position <= last_ + 1; ++position) sum.Add(fetched_.At(id, position), 1);
    }
    return sum;
  };
  for (const bool copied_out : {false, true}) {
    if (copied_out && !options_.copies) continue;
    for (const int id : storages_) {
      const CutStorage& storage = problem_.storages()[id];
      if (storage.producer > cut || LastTaker(id) <= cut) continue;
      AddRow(1, afterwards(id, copied_out), kOpen);
    }
    for (int node = 0; node <= cut; ++node) {
      if (again[node] == kZero) continue;
      for (const int id : problem_.node(node).inputs) {
        Sum sum = afterwards(id, copied_out);
        sum.Add(again[node], -1);
        AddRow(0, sum, kOpen);
      }
    }
  }
}

int LeanMixModel::Kept(int id, int position) const {
  if (Takes(position, id)) return kOne;
  return resident_.At(id, position + 1);
}

int LeanMixModel::Held(int id, int position) {
  if (IsThere(id, position)) return kOne;
  const int kept = Kept(id, position);
  const int rerun = rerun_.At(problem_.storages()[id].producer, position), fetched = fetched_.At(id, position);
  if (kept == kZero || (rerun == kZero && fetched == kZero)) return kept;
  int held = held_.At(id, position);
  if (held != kZero) return held;
  held = model_.AddContinuous(0, 1, 0);
  held_.Set(id, position, held);
  Sum sum;
  sum.Add(held, 1);
  sum.Add(kept, -1);
  sum.Add(rerun, 1);
  sum.Add(fetched, 1);
  AddRow(0, sum, kOpen);
  return held;
}

double LeanMixModel::HeldValue(int id, int position, const std::vector<double>& values) const {
  if (IsThere(id, position)) return 1;
  const double again =
      Value(rerun_.At(problem_.storages()[id].producer, position), values) + Value(fetched_.At(id, position), values);
  return std::max(0.0, Value(Kept(id, position), values) - again);
}

// How far the event is above the budget.
double LeanMixModel::EventExcess(int node, int position, const std::vector<double>& held,
                                 const std::vector<double>& values) const {
  const double rerun = Value(rerun_.At(node, position), values);
  double bytes = problem_.node(position).constant_bytes + problem_.node(node).own_bytes * rerun +
                 problem_.node(position).own_bytes * (1 - rerun);
  for (const int id : storages_) bytes += problem_.storages()[id].rounded_bytes * held[id];
  for (const int id : problem_.node(node).inputs) {
    bytes += problem_.storages()[id].rounded_bytes * std::max(0.0, rerun - held[id]);
  }
  return (bytes - options_.budget_bytes) * bytes_;
}

int LeanMixModel::AddConflicts() {
  int added = 0;
  for (int position = first_; position <= last_; ++position) {
    for (int node = 0; node < position; ++node) {
      if (rerun_.At(node, position) == kZero || event_added_.At(node, position) != kZero) continue;
      int64_t bytes = problem_.node(position).constant_bytes + problem_.node(node).own_bytes;
      for (const int id : storages_) {
        const CutStorage& storage = problem_.storages()[id];
        if (storage.producer >= position) continue;
        const bool needed = Takes(position, id) || resident_.At(id, position + 1) == kOne;
        if (needed || Takes(node, id)) bytes += storage.rounded_bytes;
      }
      if (bytes <= options_.budget_bytes) continue;
      AddEvent(node, position);
      ++added;
    }
  }
  return added;
}

int LeanMixModel::AddViolatedEvents(const std::vector<double>& values, int most_per_slot) {
  int added = 0;
  std::vector<double> held(problem_.storages().size(), 0);
  for (int position = first_; position <= last_; ++position) {
    for (const int id : storages_) {
      held[id] = problem_.storages()[id].producer < position ? HeldValue(id, position, values) : 0;
    }
    std::vector<std::pair<double, int>> violated;
    for (int node = 0; node < position; ++node) {
      if (rerun_.At(node, position) == kZero || event_added_.At(node, position) != kZero) continue;
      const double excess = EventExcess(node, position, held, values);
      if (excess > kViolated) violated.push_back({-excess, node});
    }
    std::sort(violated.begin(), violated.end());
    if (static_cast<int>(violated.size()) > most_per_slot) violated.resize(most_per_slot);
    for (const auto& [excess, node] : violated) AddEvent(node, position);
    added += static_cast<int>(violated.size());
  }
  return added;
}

void LeanMixModel::AddEvent(int node, int position) {
  const int rerun = rerun_.At(node, position);
  event_added_.Set(node, position, kOne);
  double rerun_bytes = problem_.node(node).own_bytes;
  Sum sum;
  for (const int id : storages_) {
    const CutStorage& storage = problem_.storages()[id];
    if (storage.producer >= position) continue;
    const int held = Held(id, position);
    sum.Add(held, storage.rounded_bytes * bytes_);
    if (held == kOne || !Takes(node, id)) continue;
    if (held == kZero) {
      rerun_bytes += storage.rounded_bytes;
      continue;
    }
    // An input that is not held all through the slot is there at least now.
    const int now = model_.AddContinuous(0, 1, 0);
    sum.Add(now, storage.rounded_bytes * bytes_);
    Sum row;
    row.Add(now, 1);
    row.Add(held, 1);
    row.Add(rerun, -1);
    AddRow(0, row, kOpen);
  }
  // Without the rerun there is still what the op itself needs.
  const int64_t own = problem_.node(position).own_bytes;
  sum.Add(rerun, (rerun_bytes - own) * bytes_);
  AddRow(-kOpen, sum, (options_.budget_bytes - problem_.node(position).constant_bytes - own) * bytes_);
}

}  // namespace str::optimizer
