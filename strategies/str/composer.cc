#include "strategies/str/composer.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace str::strategies {
namespace {

using optimizer::Action;
using optimizer::kNone;
using optimizer::Program;

}  // namespace

Composer::Composer(const Problem* problem) : problem_(*problem), copy_of_(problem->storages().size(), kNone) {}

void Composer::ComposeTight(const Draft& draft, Program* program, std::vector<int32_t>* steps) {
  program->clear();
  steps->clear();
  size_t fetch = 0, copy = 0, release = 0;
  by_release_.resize(draft.copies_out.size());
  std::iota(by_release_.begin(), by_release_.end(), 0);
  std::stable_sort(by_release_.begin(), by_release_.end(),
                   [&](int32_t a, int32_t b) { return draft.copies_out[a].release < draft.copies_out[b].release; });
  const std::vector<Storage>& storages = problem_.storages();
  for (int32_t i = 0; i < static_cast<int32_t>(draft.computes.size()); ++i) {
    for (; fetch < draft.fetches.size() && draft.fetches[fetch].deadline == i; ++fetch) {
      program->push_back({Action::kSwapIn, storages[draft.fetches[fetch].storage].root});
    }
    const Draft::Compute& compute = draft.computes[i];
    steps->push_back(static_cast<int32_t>(program->size()));
    program->push_back({compute.again ? Action::kRerun : Action::kRun, compute.node});
    for (; copy < draft.copies_out.size() && draft.copies_out[copy].produced == i; ++copy) {
      program->push_back({Action::kSwapOut, storages[draft.copies_out[copy].storage].root});
    }
    for (; release < by_release_.size() && draft.copies_out[by_release_[release]].release == i; ++release) {
      program->push_back({Action::kSwapOutWait, storages[draft.copies_out[by_release_[release]].storage].root});
    }
  }
}

void Composer::FindStarts(const Draft& draft) {
  const std::vector<double>& seconds = problem_.costs().node_seconds;
  starts_.resize(draft.computes.size() + 1);
  double time = 0;
  for (size_t i = 0; i < draft.computes.size(); ++i) {
    starts_[i] = time;
    time += seconds[draft.computes[i].node];
  }
  starts_.back() = time;
}

int32_t Composer::FirstStartingAt(double time) const {
  return static_cast<int32_t>(std::lower_bound(starts_.begin(), starts_.end(), time) - starts_.begin());
}

void Composer::PlaceFetches(const Draft& draft, const std::vector<int64_t>& tight_bytes, int64_t budget_bytes) {
  const std::vector<Storage>& storages = problem_.storages();
  const optimizer::Costs& costs = problem_.costs();
  const int32_t computes = static_cast<int32_t>(draft.computes.size());
  bytes_.assign(tight_bytes.begin(), tight_bytes.end());
  busy_bytes_ = bytes_;
  double lane_free = 0;
  for (const Draft::CopyOut& copy : draft.copies_out) {
    const Storage& storage = storages[copy.storage];
    lane_free = std::max(lane_free, starts_[copy.produced + 1]) + costs.CopyOutSeconds(storage.bytes);
    const int32_t done = std::min(FirstStartingAt(lane_free), computes);
    for (int32_t i = copy.release + 1; i < done; ++i) busy_bytes_[i] += storage.rounded_bytes;
  }
  const int32_t fetches = static_cast<int32_t>(draft.fetches.size());
  fetch_before_.resize(fetches);
  double latest = std::numeric_limits<double>::infinity();
  for (int32_t k = fetches - 1; k >= 0; --k) {
    const Draft::Fetch& fetch = draft.fetches[k];
    latest = std::min(latest, starts_[fetch.deadline]) - costs.CopyInSeconds(storages[fetch.storage].bytes);
    const int32_t after =
        static_cast<int32_t>(std::upper_bound(starts_.begin(), starts_.end(), latest) - starts_.begin());
    fetch_before_[k] = std::max(after - 1, 0);
  }
  int32_t previous = 0;
  for (int32_t k = 0; k < fetches; ++k) {
    const Draft::Fetch& fetch = draft.fetches[k];
    const int64_t bytes = storages[fetch.storage].rounded_bytes;
    const int32_t lowest = std::max({fetch_before_[k], previous, fetch.earliest});
    int32_t before = fetch.deadline;
    while (before > lowest && busy_bytes_[before - 1] + bytes <= budget_bytes) {
      --before;
      busy_bytes_[before] += bytes;
      bytes_[before] += bytes;
    }
    fetch_before_[k] = before;
    previous = before;
  }
}

void Composer::ComposeRelaxed(const Draft& draft, const std::vector<int64_t>& tight_bytes, int64_t budget_bytes,
                              Program* program) {
  FindStarts(draft);
  PlaceFetches(draft, tight_bytes, budget_bytes);
  program->clear();
  const std::vector<Storage>& storages = problem_.storages();
  open_.assign(draft.copies_out.size(), 1);
  for (size_t i = 0; i < draft.copies_out.size(); ++i) copy_of_[draft.copies_out[i].storage] = static_cast<int32_t>(i);
  const auto wait = [&](int32_t copy) {
    open_[copy] = 0;
    program->push_back({Action::kSwapOutWait, storages[draft.copies_out[copy].storage].root});
  };
  size_t fetch = 0, copy = 0, oldest = 0, released = 0;
  // Of the copies out whose storage was dropped but that were not waited for.
  int64_t pending_bytes = 0;
  for (int32_t i = 0; i < static_cast<int32_t>(draft.computes.size()); ++i) {
    for (; released < by_release_.size() && draft.copies_out[by_release_[released]].release < i; ++released) {
      const int32_t next = by_release_[released];
      if (open_[next]) pending_bytes += storages[draft.copies_out[next].storage].rounded_bytes;
    }
    for (; oldest < released && bytes_[i] + pending_bytes > budget_bytes; ++oldest) {
      const int32_t next = by_release_[oldest];
      if (!open_[next]) continue;
      pending_bytes -= storages[draft.copies_out[next].storage].rounded_bytes;
      wait(next);
    }
    for (; fetch < draft.fetches.size() && fetch_before_[fetch] == i; ++fetch) {
      const int32_t storage = draft.fetches[fetch].storage;
      if (open_[copy_of_[storage]]) {
        pending_bytes -= storages[storage].rounded_bytes;
        wait(copy_of_[storage]);
      }
      program->push_back({Action::kSwapIn, storages[storage].root});
    }
    const Draft::Compute& compute = draft.computes[i];
    program->push_back({compute.again ? Action::kRerun : Action::kRun, compute.node});
    for (; copy < draft.copies_out.size() && draft.copies_out[copy].produced == i; ++copy) {
      program->push_back({Action::kSwapOut, storages[draft.copies_out[copy].storage].root});
    }
  }
}

}  // namespace str::strategies
