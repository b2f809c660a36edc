#include "strategies/str/decoder.h"

#include <algorithm>

namespace str::strategies {
namespace {

using optimizer::kNone;
using optimizer::NodeId;
using optimizer::TensorId;

// A plan that reruns everything this many times over is given up.
constexpr size_t kMostComputesPerNode = 6;

}  // namespace

Decoder::Decoder(const Problem* problem)
    : problem_(*problem), most_computes_(kMostComputesPerNode * problem->stages() + 100) {}

Mode Decoder::ModeNow(int32_t storage) const {
  const int32_t unit = current_[storage];
  return unit >= 0 ? (*decisions_)[unit] : Mode::kKeep;
}

bool Decoder::Decode(const Decisions& decisions, Draft* draft) {
  decisions_ = &decisions;
  draft_ = draft;
  draft->computes.clear();
  draft->fetches.clear();
  draft->copies_out.clear();
  const size_t storages = problem_.storages().size();
  resident_.assign(storages, 0);
  current_.assign(storages, Problem::kNoUseLeft);
  generation_.assign(storages, 0);
  produced_.assign(storages, kNone);
  first_release_.assign(storages, kNone);
  last_release_.assign(storages, kNone);
  was_fetched_.assign(storages, 0);
  view_generation_.assign(problem_.graph().tensor_count(), 0);
  transient_.clear();
  for (stage_ = 0; stage_ < problem_.stages(); ++stage_) {
    const NodeId node = problem_.node(stage_);
    Provide(node);
    Emit(node, /*again=*/false);
    EndStage(stage_);
    if (draft->computes.size() > most_computes_) return false;
  }
  for (size_t s = 0; s < storages; ++s) {
    if (!was_fetched_[s]) continue;
    draft->copies_out.push_back({static_cast<int32_t>(s), produced_[s], first_release_[s]});
  }
  std::sort(draft->copies_out.begin(), draft->copies_out.end(),
            [](const Draft::CopyOut& a, const Draft::CopyOut& b) { return a.produced < b.produced; });
  return true;
}

void Decoder::Provide(NodeId node) {
  const absl::Span<const TensorId> inputs = problem_.graph().inputs(node);
  for (const bool fetched : {false, true}) {
    for (TensorId input : inputs) {
      const int32_t storage = problem_.storage_of(input);
      if (storage == kNone || (!resident_[storage] && IsFetched(storage) != fetched)) continue;
      ProvideTensor(input);
    }
  }
}

void Decoder::ProvideTensor(TensorId tensor) {
  const int32_t storage = problem_.storage_of(tensor);
  if (!resident_[storage]) Restore(storage);
  if (tensor == problem_.storages()[storage].root || view_generation_[tensor] == generation_[storage]) return;
  const NodeId view = problem_.graph().tensor(tensor).node;
  Provide(view);
  Emit(view, /*again=*/true);
}

void Decoder::Restore(int32_t storage) {
  const Mode mode = ModeNow(storage);
  if (mode == Mode::kSwap) {
    const int32_t now = static_cast<int32_t>(draft_->computes.size());
    draft_->fetches.push_back({storage, now, last_release_[storage] + 1});
    was_fetched_[storage] = 1;
    ++generation_[storage];
  } else if (draft_->computes.size() <= most_computes_) {
    const NodeId producer = problem_.storages()[storage].producer;
    Provide(producer);
    Emit(producer, /*again=*/true);
    if (mode != Mode::kRecompute) transient_.push_back(storage);
  }
  resident_[storage] = 1;
}

void Decoder::Emit(NodeId id, bool again) {
  const optimizer::Node& node = problem_.graph().node(id);
  const int32_t index = static_cast<int32_t>(draft_->computes.size());
  draft_->computes.push_back({id, again, stage_});
  for (int i = 0; i < node.outputs; ++i) {
    const TensorId tensor = node.first_tensor + i;
    const int32_t storage = problem_.storage_of(tensor);
    if (storage == kNone) continue;
    if (problem_.storages()[storage].root != tensor) {
      view_generation_[tensor] = generation_[storage];
      continue;
    }
    ++generation_[storage];
    if (!again) {
      produced_[storage] = index;
      resident_[storage] = 1;
    } else if (!resident_[storage]) {
      // A by-product of the rerun: as good as asked for, where it would be made again anyway.
      const Mode mode = ModeNow(storage);
      if (mode == Mode::kTransient) transient_.push_back(storage);
      if (mode == Mode::kTransient || mode == Mode::kRecompute) resident_[storage] = 1;
    }
  }
}

void Decoder::EndStage(int stage) {
  const int32_t last = static_cast<int32_t>(draft_->computes.size()) - 1;
  for (const Problem::Touch& touch : problem_.touches(stage)) {
    const int32_t storage = touch.storage;
    current_[storage] = touch.next;
    if (ModeNow(storage) == Mode::kKeep) continue;
    resident_[storage] = 0;
    last_release_[storage] = last;
    if (first_release_[storage] == kNone) first_release_[storage] = last;
  }
  for (int32_t storage : transient_) {
    if (ModeNow(storage) != Mode::kTransient || !resident_[storage]) continue;
    resident_[storage] = 0;
    last_release_[storage] = last;
  }
  transient_.clear();
}

}  // namespace str::strategies
