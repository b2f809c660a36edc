#include "strategies/dtr/runtime.h"

#include <algorithm>
#include <cmath>

#include "absl/log/check.h"

namespace str::dtr {
namespace {

// Operators that cost nothing never reach the thrash limit, but may be run again without end all the same.
constexpr int64_t kMostRunsPerOp = 1000;
constexpr double kSmallShare = 0.01;

}  // namespace

Runtime::Runtime(const Trace* trace, const HeuristicEntry* heuristic, const RuntimeOptions& options)
    : trace_(*trace),
      options_(options),
      state_(*trace),
      heuristic_(heuristic == nullptr ? nullptr : heuristic->factory(&state_, options.seed)),
      pool_(state_.storage_count()),
      recompute_limit_(options.thrash_limit == 0 ? std::numeric_limits<double>::infinity()
                                                 : (options.thrash_limit - 1) * static_cast<double>(trace->baseline)),
      generation_(trace->storage_bytes.size(), 0),
      made_in_(trace->tensors.size(), kNone),
      generator_(options.seed) {
  if (options.deallocation == Deallocation::kBanish) FindTakers();
}

RunResult Runtime::Run() {
  bool alive = true;
  for (const TraceEvent& event : trace_.events) {
    switch (event.kind) {
      case TraceEvent::kConstant:
        MakeConstant(event.id);
        break;
      case TraceEvent::kCall:
        alive = Call(event.id);
        break;
      case TraceEvent::kReference:
        ++state_.storage(StorageOf(event.id)).references;
        break;
      case TraceEvent::kRelease:
        Release(StorageOf(event.id));
        break;
      case TraceEvent::kDiscard:
        Remove(StorageOf(event.id));
        break;
    }
    if (!alive) break;
  }
  if (alive) KeepResults();
  result_.clock = state_.clock();
  return std::move(result_);
}

void Runtime::MakeConstant(int32_t tensor) {
  const int32_t id = StorageOf(tensor);
  StorageState& storage = state_.storage(id);
  storage.resident = true;
  storage.pinned = true;
  storage.references = 1;
  storage.last_access = state_.clock();
  made_in_[tensor] = generation_[id];
  used_bytes_ += storage.bytes;
  result_.constant_bytes += storage.bytes;
  result_.peak_bytes = std::max(result_.peak_bytes, used_bytes_);
  seen_bytes_ += static_cast<double>(storage.bytes);
  ++seen_storages_;
}

bool Runtime::Call(int32_t op) {
  if (!Execute(op, false)) return false;
  for (int32_t output = trace_.ops[op].outputs_begin; output < trace_.ops[op].outputs_end; ++output) {
    StorageState& storage = state_.storage(StorageOf(output));
    storage.last_access = state_.clock();
    ++storage.references;
  }
  return true;
}

// The recursion of the definition, on a stack of its own: a long chain of evicted tensors is as deep as it is long.
bool Runtime::Execute(int32_t op, bool again) {
  Start(op, again);
  while (!frames_.empty()) {
    Frame& frame = frames_.back();
    if (frame.missing_next < static_cast<int32_t>(missing_.size())) {
      const int32_t tensor = missing_[frame.missing_next];
      if (Defined(tensor)) {
        Lock(StorageOf(tensor));
        ++frame.missing_next;
      } else {
        Start(trace_.tensors[tensor].op, true);
      }
      continue;
    }
    if (!Finish(frame)) {
      result_.failed_op = frame.op;
      return false;
    }
    missing_.resize(frame.missing_begin);
    frames_.pop_back();
  }
  return true;
}

void Runtime::Start(int32_t op, bool again) {
  CHECK_NE(op, kNone) << "a constant is missing";
  const int32_t missing = static_cast<int32_t>(missing_.size());
  for (const int32_t input : trace_.InputsOf(trace_.ops[op])) {
    state_.storage(StorageOf(input)).last_access = state_.clock();
  }
  for (const int32_t input : trace_.InputsOf(trace_.ops[op])) {
    if (Defined(input)) {
      Lock(StorageOf(input));
    } else {
      CHECK(!state_.storage(StorageOf(input)).banished) << "a banished tensor is taken";
      missing_.push_back(input);
    }
  }
  frames_.push_back({op, again, missing, missing});
}

bool Runtime::Finish(const Frame& frame) {
  const TraceOp& op = trace_.ops[frame.op];
  while (used_bytes_ + op.output_bytes + op.temporary_bytes > options_.budget_bytes) {
    const int32_t victim = ChooseVictim();
    if (victim == kNone) {
      result_.status = RunStatus::kOutOfMemory;
      return false;
    }
    ++result_.evictions;
    Evict(victim);
  }
  if (options_.record) result_.history.push_back({frame.again ? RunEvent::kAgain : RunEvent::kCalled, frame.op});
  state_.Advance(op.cost);
  used_bytes_ += op.output_bytes;
  result_.peak_bytes = std::max(result_.peak_bytes, used_bytes_ + op.temporary_bytes);
  for (int32_t output = op.outputs_begin; output < op.outputs_end; ++output) MakeOutput(op, output, frame.again);
  if (!frame.again) {
    for (int32_t i = op.dependencies_begin; i < op.dependencies_end; ++i) state_.AddDependency(trace_.dependencies[i]);
  }
  for (const int32_t input : trace_.InputsOf(op)) Unlock(StorageOf(input));
  if (options_.deallocation == Deallocation::kBanish) {
    for (const int32_t input : trace_.InputsOf(op)) Banish(StorageOf(input));
  }
  if (!frame.again) return true;
  result_.recompute_cost += op.cost;
  ++result_.rematerializations;
  if (static_cast<double>(result_.recompute_cost) > recompute_limit_ ||
      result_.rematerializations > kMostRunsPerOp * static_cast<int64_t>(trace_.ops.size())) {
    result_.status = RunStatus::kThrash;
    return false;
  }
  return true;
}

void Runtime::MakeOutput(const TraceOp& op, int32_t tensor, bool again) {
  const TraceTensor& output = trace_.tensors[tensor];
  StorageState& storage = state_.storage(output.storage);
  if (!again && output.first_in_storage) storage.cost += op.cost;
  if (storage.banished || Defined(tensor)) {
    if (output.owns_storage) used_bytes_ -= storage.bytes;
    return;
  }
  made_in_[tensor] = generation_[output.storage];
  if (!storage.resident) {
    storage.resident = true;
    if (storage.evicted) {
      storage.evicted = false;
      if (heuristic_ != nullptr) heuristic_->Returned(output.storage);
    } else {
      seen_bytes_ += static_cast<double>(storage.bytes);
      ++seen_storages_;
    }
    if (!output.kept) OfferForEviction(output.storage);
  }
  if (output.kept) Pin(output.storage);
}

bool Runtime::KeepResults() {
  for (const int32_t tensor : trace_.results) {
    if (!Defined(tensor) && !Execute(trace_.tensors[tensor].op, true)) return false;
    Pin(StorageOf(tensor));
  }
  return true;
}

void Runtime::Release(int32_t storage) {
  StorageState& state = state_.storage(storage);
  if (--state.references > 0) return;
  if (options_.deallocation == Deallocation::kBanish) Banish(storage);
  if (options_.deallocation == Deallocation::kEager && state.resident && !state.pinned) Evict(storage);
}

void Runtime::Lock(int32_t storage) {
  ++state_.storage(storage).locks;
  if (pool_.Has(storage)) pool_.Remove(storage);
}

void Runtime::Unlock(int32_t storage) {
  if (--state_.storage(storage).locks == 0) OfferForEviction(storage);
}

void Runtime::Pin(int32_t storage) {
  state_.storage(storage).pinned = true;
  if (pool_.Has(storage)) pool_.Remove(storage);
}

void Runtime::OfferForEviction(int32_t storage) {
  const StorageState& state = state_.storage(storage);
  if (!state.resident || state.pinned || state.locks > 0) return;
  if (options_.ignore_small &&
      static_cast<double>(state.bytes) * static_cast<double>(seen_storages_) < kSmallShare * seen_bytes_) {
    return;
  }
  pool_.Add(storage);
}

int32_t Runtime::ChooseVictim() {
  int32_t victim = kNone;
  double least = std::numeric_limits<double>::infinity();
  // Does not change the choice: the storage with this score is among those scored below.
  double at_most = std::numeric_limits<double>::infinity();
  if (runner_up_ != kNone && pool_.Has(runner_up_) && !options_.sample) {
    at_most = heuristic_->Score(runner_up_, std::numeric_limits<double>::infinity());
  }
  runner_up_ = kNone;
  const int stride = options_.sample ? std::max(1, static_cast<int>(std::sqrt(pool_.size()))) : 1;
  for (int32_t id = pool_.first(); id != kNone;) {
    const double score = heuristic_->Score(id, std::min(least, at_most));
    ++result_.scores;
    if (victim == kNone || score < least || (score == least && !options_.first_of_ties)) {
      least = score;
      runner_up_ = victim;
      victim = id;
      if (score == 0) break;
    }
    for (uint64_t steps = options_.sample ? 1 + generator_() % stride : 1; steps > 0 && id != kNone; --steps) {
      id = pool_.Next(id);
    }
  }
  return victim;
}

void Runtime::Evict(int32_t storage) {
  StorageState& state = state_.storage(storage);
  state.resident = false;
  state.evicted = true;
  used_bytes_ -= state.bytes;
  ++generation_[storage];
  if (options_.record) result_.history.push_back({RunEvent::kEvicted, storage});
  if (pool_.Has(storage)) pool_.Remove(storage);
  if (heuristic_ != nullptr) heuristic_->Evicted(storage);
}

void Runtime::Remove(int32_t storage) {
  StorageState& state = state_.storage(storage);
  if (state.resident) {
    used_bytes_ -= state.bytes;
  } else if (state.evicted && heuristic_ != nullptr) {
    state.evicted = false;
    heuristic_->Returned(storage);
  }
  state.resident = state.evicted = false;
  state.banished = true;
  if (options_.record) result_.history.push_back({RunEvent::kBanished, storage});
  ++generation_[storage];
  if (pool_.Has(storage)) pool_.Remove(storage);
}

void Runtime::FindTakers() {
  takers_.resize(trace_.storage_bytes.size());
  for (size_t op = 0; op < trace_.ops.size(); ++op) {
    for (const int32_t input : trace_.InputsOf(trace_.ops[op])) {
      std::vector<int32_t>& takers = takers_[StorageOf(input)];
      if (takers.empty() || takers.back() != static_cast<int32_t>(op)) takers.push_back(static_cast<int32_t>(op));
    }
  }
}

// By tensors, not by storages: a view of a resident storage may be missing and need an input of its own.
bool Runtime::MayBanish(int32_t storage) const {
  const StorageState& state = state_.storage(storage);
  if (state.references > 0 || state.locks > 0 || state.banished || !(state.resident || state.evicted)) return false;
  for (const int32_t taker : takers_[storage]) {
    for (int32_t output = trace_.ops[taker].outputs_begin; output < trace_.ops[taker].outputs_end; ++output) {
      const int32_t made = StorageOf(output);
      if (made != storage && !state_.storage(made).banished && !Defined(output)) return false;
    }
  }
  return true;
}

void Runtime::Banish(int32_t storage) {
  std::vector<int32_t> candidates = {storage};
  while (!candidates.empty()) {
    const int32_t id = candidates.back();
    candidates.pop_back();
    if (!MayBanish(id)) continue;
    Remove(id);
    for (const int32_t taker : takers_[id]) {
      for (int32_t output = trace_.ops[taker].outputs_begin; output < trace_.ops[taker].outputs_end; ++output) {
        Pin(StorageOf(output));
      }
    }
    for (const int32_t parent : state_.parents(id)) candidates.push_back(parent);
  }
}

}  // namespace str::dtr
