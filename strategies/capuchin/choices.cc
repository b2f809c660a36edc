#include "strategies/capuchin/choices.h"

#include <algorithm>

#include "absl/log/check.h"

namespace str::strategies {

using optimizer::kNone;

double CopyLane::EarliestStart(double time, double seconds) const {
  for (const Copy& copy : copies_) {
    if (time + seconds <= copy.start) break;
    time = std::max(time, copy.end);
  }
  return time;
}

double CopyLane::LatestStart(double time, double seconds) const {
  for (auto copy = copies_.rbegin(); copy != copies_.rend(); ++copy) {
    if (time - seconds >= copy->end) break;
    time = std::min(time, copy->start);
  }
  return time - seconds;
}

void CopyLane::Reserve(double start, double seconds) {
  const auto next = std::find_if(copies_.begin(), copies_.end(), [&](const Copy& copy) { return copy.start > start; });
  copies_.insert(next, {start, start + seconds});
}

void CopyLane::Release(double start) {
  const auto copy = std::find_if(copies_.begin(), copies_.end(), [&](const Copy& copy) { return copy.start == start; });
  CHECK(copy != copies_.end()) << "no copy starts at " << start;
  copies_.erase(copy);
}

CapuchinChoices::CapuchinChoices(const Problem* problem, int64_t host_limit_bytes)
    : problem_(*problem),
      host_limit_bytes_(host_limit_bytes),
      decisions_(problem->KeepEverything()),
      copied_(problem->storages().size()),
      refused_(problem->units().size(), 0),
      seen_(problem->storages().size(), 0) {
  double time = 0;
  std::vector<double> ends(problem_.graph().node_count(), 0);
  for (const optimizer::NodeId node : problem_.nodes()) {
    starts_.push_back(time);
    ends[node] = time += problem_.costs().node_seconds[node];
  }
  starts_.push_back(time);
  for (const Storage& storage : problem_.storages()) made_.push_back(ends[storage.producer]);
}

CapuchinChoices::Copies CapuchinChoices::FindCopies(const Unit& unit) const {
  const Storage& storage = problem_.storages()[unit.storage];
  const optimizer::Costs& costs = problem_.costs();
  Copies copies;
  copies.copies_out = !copied_[unit.storage].has_value();
  const double out_seconds = costs.CopyOutSeconds(storage.bytes);
  copies.out_start = out_.EarliestStart(made_[unit.storage], out_seconds);
  const double out_end = copies.copies_out ? copies.out_start + out_seconds : *copied_[unit.storage];
  copies.in_start = in_.LatestStart(starts_[unit.to], costs.CopyInSeconds(storage.bytes));
  copies.free_seconds = copies.in_start - std::max(out_end, starts_[unit.from + 1]);
  return copies;
}

void CapuchinChoices::Swap(int32_t unit, const Copies& copies) {
  const int32_t id = problem_.units()[unit].storage;
  const int64_t bytes = problem_.storages()[id].bytes;
  if (copies.copies_out) {
    const double seconds = problem_.costs().CopyOutSeconds(bytes);
    out_.Reserve(copies.out_start, seconds);
    copied_[id] = copies.out_start + seconds;
    host_bytes_ += bytes;
  }
  in_.Reserve(copies.in_start, problem_.costs().CopyInSeconds(bytes));
  decisions_[unit] = Mode::kSwap;
}

void CapuchinChoices::Unswap(int32_t unit, const Copies& copies) {
  const int32_t id = problem_.units()[unit].storage;
  if (copies.copies_out) {
    out_.Release(copies.out_start);
    copied_[id].reset();
    host_bytes_ -= problem_.storages()[id].bytes;
  }
  in_.Release(copies.in_start);
}

int32_t CapuchinChoices::GapAt(int32_t storage, int32_t stage) const {
  const Storage& of = problem_.storages()[storage];
  for (int32_t unit = of.first_unit; unit < of.first_unit + of.units; ++unit) {
    if (problem_.units()[unit].from < stage && stage < problem_.units()[unit].to) return unit;
  }
  return kNone;
}

double CapuchinChoices::RemakeSeconds(int32_t storage, int32_t stage, std::vector<int32_t>* sources) {
  ++call_;
  double seconds = 0;
  std::vector<int32_t> open = {storage};
  seen_[storage] = call_;
  while (!open.empty()) {
    const optimizer::NodeId producer = problem_.storages()[open.back()].producer;
    open.pop_back();
    seconds += problem_.costs().node_seconds[producer];
    for (const optimizer::TensorId input : problem_.graph().inputs(producer)) {
      const int32_t source = problem_.storage_of(input);
      if (source == kNone || seen_[source] == call_) continue;
      seen_[source] = call_;
      const int32_t gap = GapAt(source, stage);
      if (gap == kNone) continue;
      switch (decisions_[gap]) {
        case Mode::kKeep:
          if (sources != nullptr) sources->push_back(gap);
          break;
        case Mode::kSwap:
          // Fetched when its own gap ends, or now; the copy is not counted, as little as Capuchin does.
          break;
        case Mode::kRecompute:
        case Mode::kTransient:
          open.push_back(source);
          break;
      }
    }
  }
  return seconds;
}

bool CapuchinChoices::Choose(int32_t peak_stage) {
  std::vector<int32_t> candidates;
  for (size_t u = 0; u < problem_.units().size(); ++u) {
    const Unit& unit = problem_.units()[u];
    if (decisions_[u] != Mode::kKeep || refused_[u] || unit.afterlife) continue;
    if (unit.from < peak_stage && peak_stage < unit.to) candidates.push_back(static_cast<int32_t>(u));
  }
  last_ = kNone;
  for (const int32_t u : candidates) {
    const Unit& unit = problem_.units()[u];
    if (!problem_.Allows(unit, Mode::kSwap)) continue;
    const Copies copies = FindCopies(unit);
    const int64_t host_bytes = host_bytes_ + (copies.copies_out ? problem_.storages()[unit.storage].bytes : 0);
    if (copies.free_seconds < 0 || (host_limit_bytes_ > 0 && host_bytes > host_limit_bytes_)) continue;
    if (last_ != kNone && copies.free_seconds <= last_copies_.free_seconds) continue;
    last_ = u;
    last_copies_ = copies;
  }
  if (last_ != kNone) {
    Swap(last_, last_copies_);
    return true;
  }
  // How often each gap's storage is taken by what is made again: once it is dropped it is made again as often.
  std::vector<int32_t> times(problem_.units().size(), 1), sources;
  for (const int32_t u : recomputed_) {
    sources.clear();
    RemakeSeconds(problem_.units()[u].storage, problem_.units()[u].to, &sources);
    for (const int32_t source : sources) ++times[source];
  }
  double best_bytes = 0, best_seconds = 0;
  for (const int32_t u : candidates) {
    const Unit& unit = problem_.units()[u];
    if (!problem_.Allows(unit, Mode::kTransient)) continue;
    const double seconds = times[u] * RemakeSeconds(unit.storage, unit.to, nullptr);
    const double bytes = static_cast<double>(problem_.storages()[unit.storage].rounded_bytes);
    // By bytes per second; what costs nothing comes first, the largest of it.
    const double more = bytes * best_seconds, less = best_bytes * seconds;
    if (last_ != kNone && (more < less || (more == less && bytes <= best_bytes))) continue;
    best_bytes = bytes;
    best_seconds = seconds;
    last_ = u;
  }
  if (last_ == kNone) return false;
  decisions_[last_] = Mode::kTransient;
  recomputed_.push_back(last_);
  return true;
}

void CapuchinChoices::TakeBack() {
  if (decisions_[last_] == Mode::kTransient) recomputed_.pop_back();
  if (decisions_[last_] == Mode::kSwap) Unswap(last_, last_copies_);
  decisions_[last_] = Mode::kKeep;
  refused_[last_] = 1;
}

}  // namespace str::strategies
