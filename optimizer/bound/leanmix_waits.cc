// Rows of the per-op model for reruns that wait for a fetch in their own slot: the copy and the rerun cannot go on at
// the same time.
#include <algorithm>
#include <utility>

#include "optimizer/bound/leanmix_model.h"

namespace str::optimizer {
namespace {

constexpr double kOpen = LinearModel::kOpen;
// In the model's unit: what counts as violated.
constexpr double kViolated = 1e-4;

}  // namespace

void LeanMixModel::Sum::Merge() {
  std::sort(terms.begin(), terms.end(), [](const LinearTerm& a, const LinearTerm& b) { return a.column < b.column; });
  size_t merged = 0;
  for (size_t i = 1; i < terms.size(); ++i) {
    if (terms[i].column == terms[merged].column) {
      terms[merged].coefficient += terms[i].coefficient;
    } else {
      terms[++merged] = terms[i];
    }
  }
  if (!terms.empty()) terms.resize(merged + 1);
}

// What the slot's fetch of the storage still takes when the slot begins, less if it can be had in another way.
LeanMixModel::Sum LeanMixModel::Arrival(int id, int position) const {
  const CutStorage& storage = problem_.storages()[id];
  const double in = storage.copy_in_seconds * seconds_;
  Sum sum;
  sum.Add(fetched_.At(id, position), in);
  sum.Add(in_done_.At(id, position - 1), -in);
  sum.Add(in_run_.At(id, position - 1), -in);
  sum.Add(resident_.At(id, position), -in);
  sum.Add(rerun_.At(storage.producer, position), -in);
  return sum;
}

double LeanMixModel::Value(const Sum& sum, const std::vector<double>& values) const {
  double value = sum.constant;
  for (const LinearTerm& term : sum.terms) value += term.coefficient * values[term.column];
  return value;
}

// Adds to `wait`, which ends before any of `nodes` is rerun, the reruns that come after it: those and, in turn, what
// takes what they make, unless that can be had in another way.
void LeanMixModel::AddRerunsAfter(const std::vector<int>& nodes, int position, const std::vector<double>& values,
                                  Sum* wait) const {
  struct After {
    int node;
    // In what ways something on the path to it can be had otherwise.
    std::vector<int> otherwise;
  };
  std::vector<After> after;
  for (const int node : nodes) after.push_back({node, {}});
  const auto relief = [&](const std::vector<int>& columns) {
    double sum = 0;
    for (const int column : columns) sum += Value(column, values);
    return sum;
  };
  for (size_t i = 0; i < after.size(); ++i) {
    const After from = after[i];
    const double seconds = problem_.node(from.node).seconds * seconds_;
    wait->Add(rerun_.At(from.node, position), seconds);
    for (const int column : from.otherwise) wait->Add(column, -seconds);
    for (const int id : made_[from.node]) {
      std::vector<int> otherwise = from.otherwise;
      for (const int column : {resident_.At(id, position), fetched_.At(id, position)}) {
        if (column != kZero) otherwise.push_back(column);
      }
      if (std::find(otherwise.begin(), otherwise.end(), kOne) != otherwise.end()) continue;
      for (const int use : problem_.storages()[id].uses) {
        if (use >= position || Value(rerun_.At(use, position), values) <= relief(otherwise) + kViolated) continue;
        const bool known = std::any_of(after.begin(), after.end(), [&](const After& one) { return one.node == use; });
        if (!known) after.push_back({use, otherwise});
      }
    }
  }
}

bool LeanMixModel::AddWait(Sum wait, const std::vector<int>& nodes, int position, const std::vector<double>& values) {
  if (wait.terms.empty() || nodes.empty()) return false;
  AddRerunsAfter(nodes, position, values, &wait);
  wait.Add(time_[position], -1);
  wait.Merge();
  if (Value(wait, values) <= kViolated) return false;
  AddRow(-kOpen, wait, 0);
  return true;
}

int LeanMixModel::AddViolatedWaits(const std::vector<double>& values) {
  if (!options_.copies) return 0;
  int added = 0;
  for (int position = first_; position <= last_; ++position) {
    const auto is_rerun = [&](int node) {
      return node < position && Value(rerun_.At(node, position), values) > kViolated;
    };
    const auto arrival = [&](int id) {
      if (fetched_.At(id, position) == kZero || resident_.At(id, position) == kOne) return Sum();
      Sum sum = Arrival(id, position);
      return Value(sum, values) > kViolated ? sum : Sum();
    };
    // One fetch, and all that wait for it.
    for (const int id : storages_) {
      std::vector<int> takers;
      for (const int use : problem_.storages()[id].uses) {
        if (is_rerun(use)) takers.push_back(use);
      }
      if (!takers.empty()) added += AddWait(arrival(id), takers, position, values);
    }
    // One rerun, and all that it waits for: they arrive one after the other.
    for (int node = 0; node < position; ++node) {
      if (!is_rerun(node)) continue;
      Sum wait;
      int fetches = 0;
      for (const int id : problem_.node(node).inputs) {
        const Sum one = arrival(id);
        fetches += !one.terms.empty();
        wait.terms.insert(wait.terms.end(), one.terms.begin(), one.terms.end());
      }
      if (fetches > 1) added += AddWait(std::move(wait), {node}, position, values);
    }
  }
  return added;
}

}  // namespace str::optimizer
