#include "strategies/str/lean_evaluator.h"

#include <algorithm>
#include <limits>

namespace str::strategies {
namespace {

using optimizer::kNone;

// A plan that reruns everything this many times over is given up.
constexpr size_t kMostItemsPerStage = 4;
// Of the average stage: the least weight of a stage's memory.
constexpr double kLeastWeight = 0.1;

}  // namespace

LeanEvaluator::LeanEvaluator(const LeanModel* model, bool count_host_bytes)
    : model_(*model),
      count_host_bytes_(count_host_bytes),
      most_items_(kMostItemsPerStage * model->stages() + 100),
      states_(model->storages()),
      returns_(model->units()),
      live_(model->stages() + 2, 0),
      before_(model->stages() + 2, 0),
      stage_bytes_(model->stages(), 0),
      copy_of_(model->storages(), kNever),
      compute_of_(model->stages(), 0) {
  const double least = kLeastWeight * model->compute_seconds() / std::max(1, model->stages());
  for (int t = 0; t < model->stages(); ++t) weight_.push_back(std::max(least, model->stage(t).seconds));
}

Evaluation LeanEvaluator::Evaluate(const Decisions& decisions, int64_t budget_bytes) {
  Evaluation evaluation = EvaluateMemory(decisions, budget_bytes);
  EvaluateTime(budget_bytes, &evaluation);
  return evaluation;
}

Evaluation LeanEvaluator::EvaluateMemory(const Decisions& decisions, int64_t budget_bytes) {
  Evaluation evaluation;
  decisions_ = &decisions;
  evaluation.valid = RestoreAll();
  work_ += static_cast<int64_t>(model_.stages() + items_.size());
  if (evaluation.valid) Profile(budget_bytes, &evaluation);
  return evaluation;
}

// ---- What is restored when ----

bool LeanEvaluator::RestoreAll() {
  items_.clear();
  prolonged_.clear();
  any_fetch_ = false;
  ++evaluation_;
  const Decisions& decisions = *decisions_;
  for (const int32_t u : model_.units_by_end()) {
    if (decisions[u] == Mode::kKeep) continue;
    const LeanUnit& unit = model_.unit(u);
    stage_ = unit.to;
    if (returns_[u].evaluation == evaluation_) continue;
    FillSlot(unit.to);
    if (items_.size() > most_items_) return false;
  }
  return true;
}

void LeanEvaluator::FillSlot(int32_t stage) {
  const size_t first_item = items_.size();
  ++slot_;
  for (const int32_t storage : model_.inputs(stage)) states_[storage].needed_slot = slot_;
  Provide(stage);
  SizeSlot(first_item);
}

int32_t LeanEvaluator::AbsentIn(int32_t storage) const {
  if (states_[storage].slot == slot_) return kNever;
  const LeanStorage& facts = model_.storage(storage);
  for (int32_t u = facts.first_unit; u < facts.end_unit; ++u) {
    const LeanUnit& unit = model_.unit(u);
    if (stage_ <= unit.from) return kNever;
    if (stage_ > unit.to) continue;
    if ((*decisions_)[u] == Mode::kKeep || returns_[u].evaluation == evaluation_) return kNever;
    return u;
  }
  return kNever;
}

void LeanEvaluator::Provide(int32_t stage) {
  const absl::Span<const int32_t> inputs = model_.inputs(stage);
  bool fetches = false;
  // First what is made again, whose way there takes memory.
  for (const int32_t storage : inputs) {
    const int32_t unit = AbsentIn(storage);
    if (unit == kNever) continue;
    if ((*decisions_)[unit] == Mode::kSwap) {
      fetches = true;
    } else {
      Restore(storage, unit);
    }
  }
  if (!fetches) return;
  for (const int32_t storage : inputs) {
    const int32_t unit = AbsentIn(storage);
    if (unit != kNever) Restore(storage, unit);
  }
}

void LeanEvaluator::Restore(int32_t storage, int32_t unit) {
  if ((*decisions_)[unit] == Mode::kSwap) {
    Item item;
    item.stage = stage_;
    item.storage = storage;
    item.unit = unit;
    items_.push_back(item);
    any_fetch_ = true;
    State& state = states_[storage];
    state.slot = slot_;
    state.transient = false;
    returns_[unit] = {evaluation_, stage_};
  } else if (items_.size() <= most_items_) {
    const int32_t producer = model_.storage(storage).producer;
    Provide(producer);
    Rerun(producer);
  }
}

void LeanEvaluator::Rerun(int32_t stage) {
  const int32_t index = static_cast<int32_t>(items_.size());
  Item item;
  item.stage = stage_;
  item.rerun = stage;
  items_.push_back(item);
  for (const int32_t storage : model_.inputs(stage)) {
    State& state = states_[storage];
    state.last_item = index;
    state.last_stage = stage_;
    if (stage_ > model_.storage(storage).last_use) prolonged_.push_back(storage);
  }
  for (const int32_t storage : model_.outputs(stage)) {
    const int32_t unit = AbsentIn(storage);
    if (unit == kNever || (*decisions_)[unit] == Mode::kSwap) continue;
    State& state = states_[storage];
    state.slot = slot_;
    state.last_item = index;
    // At the end of a gap even a transient one stays for the stage; what comes then is the next gap's decision.
    state.transient = (*decisions_)[unit] == Mode::kTransient;
    if (!state.transient || model_.unit(unit).to == stage_) returns_[unit] = {evaluation_, stage_};
  }
}

void LeanEvaluator::SizeSlot(size_t first_item) {
  int64_t bytes = 0;
  for (size_t i = first_item; i < items_.size(); ++i) {
    Item& item = items_[i];
    if (item.rerun == kNever) {
      bytes += model_.storage(item.storage).bytes;
      item.bytes = bytes;
      continue;
    }
    const int32_t index = static_cast<int32_t>(i);
    int32_t taken_over = kNone;
    int64_t only_now = model_.stage(item.rerun).rerun_bytes;
    for (const int32_t storage : model_.outputs(item.rerun)) {
      const LeanStorage& facts = model_.storage(storage);
      if (states_[storage].slot != slot_) {
        only_now += facts.bytes;
        continue;
      }
      if (facts.takes_over != kNone && taken_over == kNone) {
        const State& other = states_[facts.takes_over];
        if (EndsInSlot(other) && other.last_item == index) {
          taken_over = facts.takes_over;
          continue;
        }
      }
      bytes += facts.bytes;
    }
    item.bytes = bytes + only_now;
    for (const int32_t storage : model_.inputs(item.rerun)) {
      const State& state = states_[storage];
      if (storage != taken_over && EndsInSlot(state) && state.last_item == index) {
        bytes -= model_.storage(storage).bytes;
      }
    }
  }
}

// ---- Bytes ----

bool LeanEvaluator::HandsOver(const LeanUnit& unit) const {
  if (!unit.hands_over) return false;
  const LeanStorage& storage = model_.storage(unit.storage);
  const auto first = decisions_->begin() + storage.first_unit;
  return std::find(first, decisions_->begin() + storage.end_unit, Mode::kSwap) ==
         decisions_->begin() + storage.end_unit;
}

void LeanEvaluator::Profile(int64_t budget_bytes, Evaluation* evaluation) {
  const int stages = model_.stages();
  for (const int32_t u : model_.units_by_end()) {
    if ((*decisions_)[u] == Mode::kKeep) continue;
    const LeanUnit& unit = model_.unit(u);
    const int64_t bytes = model_.storage(unit.storage).bytes;
    const int32_t back = returns_[u].stage;
    live_[unit.from + (HandsOver(unit) ? 0 : 1)] -= bytes;
    live_[back] += bytes;
    before_[unit.from + 1] -= bytes;
    before_[back + 1] += bytes;
  }
  for (const int32_t storage : prolonged_) {
    State& state = states_[storage];
    const LeanStorage& facts = model_.storage(storage);
    // What has an afterlife may be made again instead.
    const bool stays = facts.afterlife == kNone || (*decisions_)[facts.afterlife] == Mode::kKeep;
    if (state.last_stage == kNever || !stays) continue;
    live_[facts.last_use + (facts.taken_over ? 0 : 1)] += facts.bytes;
    live_[state.last_stage + 1] -= facts.bytes;
    before_[facts.last_use + 1] += facts.bytes;
    before_[state.last_stage + 1] -= facts.bytes;
    state.last_stage = kNever;
  }
  int64_t live = 0, before = 0, peak = 0;
  double seconds = model_.compute_seconds(), excess = 0;
  size_t next = 0;
  const auto count = [&](double weight, int64_t bytes) {
    peak = std::max(peak, bytes);
    if (bytes > budget_bytes) excess += weight * static_cast<double>(bytes - budget_bytes);
  };
  for (int t = 0; t < stages; ++t) {
    const LeanStage& stage = model_.stage(t);
    live += live_[t];
    before += before_[t];
    live_[t] = before_[t] = 0;
    for (; next < items_.size() && items_[next].stage == t; ++next) {
      Item& item = items_[next];
      item.bytes += stage.kept_before_bytes + before;
      if (item.rerun == kNever) continue;
      seconds += model_.stage(item.rerun).seconds;
      count(weight_[item.rerun], item.bytes);
    }
    stage_bytes_[t] = stage.kept_bytes + live;
    count(weight_[t], stage_bytes_[t]);
  }
  live_[stages] = live_[stages + 1] = before_[stages] = before_[stages + 1] = 0;
  evaluation->tight_peak_bytes = evaluation->peak_bytes = peak;
  evaluation->most_excess_bytes = std::max<int64_t>(0, peak - budget_bytes);
  evaluation->excess = excess;
  evaluation->seconds = seconds;
}

void LeanEvaluator::StageProfile(std::vector<int64_t>* bytes, std::vector<double>* seconds) const {
  *bytes = stage_bytes_;
  *seconds = weight_;
  for (const Item& item : items_) {
    if (item.rerun == kNever) continue;
    (*bytes)[item.stage] = std::max((*bytes)[item.stage], item.bytes);
    (*seconds)[item.stage] += weight_[item.rerun];
  }
}

// ---- Copies ----

void LeanEvaluator::EvaluateTime(int64_t budget_bytes, Evaluation* evaluation) {
  if (!evaluation->valid || !any_fetch_) return;
  FindComputes();
  FindCopiesOut();
  PlaceFetches(budget_bytes);
  for (const CopyOut& copy : copies_) evaluation->copy_seconds += model_.storage(copy.storage).copy_out_seconds;
  for (const Fetch& fetch : fetches_) evaluation->copy_seconds += model_.storage(fetch.storage).copy_in_seconds;
  evaluation->seconds = SimulateCopies(budget_bytes);
  if (count_host_bytes_) evaluation->host_peak_bytes = HostPeak();
}

void LeanEvaluator::FindComputes() {
  const size_t most = model_.stages() + items_.size();
  compute_seconds_.resize(most);
  compute_bytes_.resize(most);
  starts_.resize(most + 1);
  fetches_.clear();
  size_t next = 0;
  int32_t compute = 0;
  double time = 0;
  const auto add = [&](double seconds, int64_t bytes) {
    compute_seconds_[compute] = seconds;
    compute_bytes_[compute] = bytes;
    starts_[compute++] = time;
    time += seconds;
  };
  for (int t = 0; t < model_.stages(); ++t) {
    for (; next < items_.size() && items_[next].stage == t; ++next) {
      const Item& item = items_[next];
      if (item.rerun == kNever) {
        fetches_.push_back({item.storage, compute, compute_of_[model_.unit(item.unit).from] + 1, 0});
        continue;
      }
      add(model_.stage(item.rerun).seconds, item.bytes);
    }
    compute_of_[t] = compute;
    add(model_.stage(t).seconds, stage_bytes_[t]);
  }
  starts_[compute] = time;
  starts_.resize(compute + 1);
  compute_seconds_.resize(compute);
  compute_bytes_.resize(compute);
}

void LeanEvaluator::FindCopiesOut() {
  copies_.clear();
  for (const Fetch& fetch : fetches_) {
    const LeanStorage& facts = model_.storage(fetch.storage);
    if (copy_of_[fetch.storage] != kNever) continue;
    int32_t first = facts.first_unit;
    while ((*decisions_)[first] == Mode::kKeep) ++first;
    copy_of_[fetch.storage] = 0;
    copies_.push_back({fetch.storage, compute_of_[facts.producer], compute_of_[model_.unit(first).from], 0, true});
  }
  std::sort(copies_.begin(), copies_.end(), [](const CopyOut& a, const CopyOut& b) {
    return a.produced != b.produced ? a.produced < b.produced : a.storage < b.storage;
  });
  by_release_.resize(copies_.size());
  for (size_t i = 0; i < copies_.size(); ++i) {
    by_release_[i] = static_cast<int32_t>(i);
    copy_of_[copies_[i].storage] = static_cast<int32_t>(i);
  }
  std::sort(by_release_.begin(), by_release_.end(), [&](int32_t a, int32_t b) {
    return copies_[a].release != copies_[b].release ? copies_[a].release < copies_[b].release : a < b;
  });
}

void LeanEvaluator::PlaceFetches(int64_t budget_bytes) {
  const int32_t computes = static_cast<int32_t>(compute_seconds_.size());
  // Differences first: what copies that are not waited for would hold.
  busy_bytes_.assign(computes + 1, 0);
  double lane_free = 0;
  int32_t done = 0;
  for (const CopyOut& copy : copies_) {
    const LeanStorage& storage = model_.storage(copy.storage);
    lane_free = std::max(lane_free, starts_[copy.produced + 1]) + storage.copy_out_seconds;
    while (done < computes && starts_[done] < lane_free) ++done;
    if (done <= copy.release + 1) continue;
    busy_bytes_[copy.release + 1] += storage.bytes;
    busy_bytes_[done] -= storage.bytes;
  }
  int64_t held = 0;
  for (int32_t i = 0; i < computes; ++i) {
    held += busy_bytes_[i];
    busy_bytes_[i] = compute_bytes_[i] + held;
  }
  double latest = std::numeric_limits<double>::infinity();
  int32_t start = computes;
  for (size_t k = fetches_.size(); k-- > 0;) {
    Fetch& fetch = fetches_[k];
    latest = std::min(latest, starts_[fetch.deadline]) - model_.storage(fetch.storage).copy_in_seconds;
    while (start > 0 && starts_[start] > latest) --start;
    fetch.before = start;
  }
  int32_t previous = 0;
  for (Fetch& fetch : fetches_) {
    const int64_t bytes = model_.storage(fetch.storage).bytes;
    const int32_t lowest = std::max({fetch.before, previous, fetch.earliest});
    int32_t before = fetch.deadline;
    while (before > lowest && busy_bytes_[before - 1] + bytes <= budget_bytes) {
      --before;
      busy_bytes_[before] += bytes;
      compute_bytes_[before] += bytes;
    }
    fetch.before = previous = before;
  }
}

double LeanEvaluator::SimulateCopies(int64_t budget_bytes) {
  double now = 0, in_free = 0, out_free = 0;
  size_t fetch = 0, waited = 0, copy = 0, oldest = 0, released = 0;
  // Of the copies out whose storage was dropped but that were not waited for.
  int64_t pending_bytes = 0;
  const auto wait = [&](CopyOut& open) {
    open.open = false;
    now = std::max(now, open.done);
  };
  arrivals_.resize(fetches_.size());
  const int32_t computes = static_cast<int32_t>(compute_seconds_.size());
  for (int32_t i = 0; i < computes; ++i) {
    for (; released < by_release_.size() && copies_[by_release_[released]].release < i; ++released) {
      const CopyOut& next = copies_[by_release_[released]];
      if (next.open) pending_bytes += model_.storage(next.storage).bytes;
    }
    for (; oldest < released && compute_bytes_[i] + pending_bytes > budget_bytes; ++oldest) {
      CopyOut& next = copies_[by_release_[oldest]];
      if (!next.open) continue;
      pending_bytes -= model_.storage(next.storage).bytes;
      wait(next);
    }
    for (; fetch < fetches_.size() && fetches_[fetch].before == i; ++fetch) {
      CopyOut& source = copies_[copy_of_[fetches_[fetch].storage]];
      if (source.open) {
        pending_bytes -= model_.storage(source.storage).bytes;
        wait(source);
      }
      in_free = std::max({now, in_free, source.done}) + model_.storage(source.storage).copy_in_seconds;
      arrivals_[fetch] = in_free;
    }
    for (; waited < fetches_.size() && fetches_[waited].deadline == i; ++waited) now = std::max(now, arrivals_[waited]);
    now += compute_seconds_[i];
    for (; copy < copies_.size() && copies_[copy].produced == i; ++copy) {
      out_free = std::max(now, out_free) + model_.storage(copies_[copy].storage).copy_out_seconds;
      copies_[copy].done = out_free;
    }
  }
  for (const CopyOut& done : copies_) copy_of_[done.storage] = kNever;
  return now;
}

int64_t LeanEvaluator::HostPeak() const {
  std::vector<int64_t> change(compute_seconds_.size() + 1, 0);
  for (const CopyOut& copy : copies_) {
    const int64_t bytes = model_.storage(copy.storage).bytes;
    int32_t last = 0;
    for (const Fetch& fetch : fetches_) {
      if (fetch.storage == copy.storage) last = fetch.before;
    }
    change[copy.produced] += bytes;
    change[last] -= bytes;
  }
  int64_t held = 0, peak = 0;
  for (const int64_t bytes : change) {
    held += bytes;
    peak = std::max(peak, held);
  }
  return peak;
}

}  // namespace str::strategies
