#include "optimizer/bound/cut_view.h"

#include <algorithm>

namespace str::optimizer {
namespace {

// The view before storages are looked at: only the op itself.
CutView EmptyView(const CutProblem& problem, int position, int64_t budget_bytes) {
  const size_t storages = problem.storages().size();
  CutView view;
  view.position = position;
  view.budget_bytes = budget_bytes;
  view.free_bytes = budget_bytes - problem.WorkingSet(position);
  view.is_there.assign(storages, 0);
  view.is_needed.assign(storages, 0);
  view.seconds_to_cut.assign(storages, 0);
  view.seconds_from_cut.assign(storages, 0);
  for (const int id : problem.node(position).inputs) view.is_there[id] = 1;
  return view;
}

void Hold(const CutStorage& storage, int id, CutView* view) {
  if (view->is_there[id]) return;
  view->is_there[id] = 1;
  view->free_bytes -= storage.rounded_bytes;
}

}  // namespace

std::vector<int> CutView::Wanted(const CutProblem& problem) const {
  std::vector<char> is_wanted = is_needed;
  std::vector<int> wanted;
  for (size_t id = 0; id < is_needed.size(); ++id) {
    if (is_needed[id]) wanted.push_back(static_cast<int>(id));
  }
  for (size_t next = 0; next < wanted.size(); ++next) {
    const CutNode& producer = problem.node(problem.storages()[wanted[next]].producer);
    if (!producer.may_rerun) continue;
    for (const int input : producer.inputs) {
      if (is_there[input] || is_wanted[input]) continue;
      is_wanted[input] = 1;
      wanted.push_back(input);
    }
  }
  return wanted;
}

CutView InOrderView(const CutProblem& problem, int position, int64_t budget_bytes) {
  CutView view = EmptyView(problem, position, budget_bytes);
  for (size_t id = 0; id < problem.storages().size(); ++id) {
    const CutStorage& storage = problem.storages()[id];
    if (storage.producer >= position) continue;
    if (storage.held_after < position) Hold(storage, static_cast<int>(id), &view);
    const auto use = std::upper_bound(storage.uses.begin(), storage.uses.end(), position);
    view.is_needed[id] = use != storage.uses.end() && !view.is_there[id];
    view.seconds_to_cut[id] = problem.Seconds(storage.producer + 1, position);
    view.seconds_from_cut[id] = problem.Seconds(position + 1, use == storage.uses.end() ? problem.positions() : *use);
  }
  return view;
}

CutView AnyOrderView(const CutProblem& problem, const Reach& reach, int position, int64_t budget_bytes) {
  const auto is_before = [&](int other) { return reach.Reaches(other, position); };
  const auto is_after = [&](int other) { return reach.Reaches(position, other); };
  CutView view = EmptyView(problem, position, budget_bytes);
  // The working set has what is there in the problem's order. In another one, more variables may have been replaced.
  view.free_bytes += problem.node(position).constant_bytes - problem.external_bytes();
  std::vector<char> is_replaced(problem.variable_bytes().size(), 0);
  for (const auto& [replacement, variable] : problem.replacements()) {
    if (replacement == position || is_after(replacement) || is_replaced[variable]) continue;
    is_replaced[variable] = 1;
    view.free_bytes += problem.variable_bytes()[variable];
  }
  const double total = problem.total_seconds();
  for (size_t id = 0; id < problem.storages().size(); ++id) {
    const CutStorage& storage = problem.storages()[id];
    if (!is_before(storage.producer)) continue;
    const bool is_held = std::any_of(storage.holders.begin(), storage.holders.end(), is_before);
    if (is_held) Hold(storage, static_cast<int>(id), &view);
    // The use with most to do from it on is the one that must begin first.
    double after_use = 0;
    bool is_used = false;
    for (const int use : storage.uses) {
      if (!is_after(use)) continue;
      is_used = true;
      after_use = std::max(after_use, reach.SecondsFrom(use));
    }
    view.is_needed[id] = is_used && !view.is_there[id];
    view.seconds_to_cut[id] = total - reach.SecondsFrom(position) - reach.SecondsUpTo(storage.producer);
    view.seconds_from_cut[id] = total - reach.SecondsUpTo(position) - after_use;
  }
  return view;
}

}  // namespace str::optimizer
