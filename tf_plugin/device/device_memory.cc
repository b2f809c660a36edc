#include "tf_plugin/device/device_memory.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "absl/log/check.h"
#include "absl/strings/str_cat.h"
#include "config/text_units.h"
#include "tf_plugin/device/host_memory_source.h"

namespace str::device {
namespace {

// No memory is this large: what is larger may as well ask for this, and cannot overflow.
constexpr size_t kImpossibleBytes = size_t{1} << 62;

int64_t RoundToGranule(size_t bytes) {
  bytes = std::min(bytes, kImpossibleBytes);
  return std::max<int64_t>(1, (static_cast<int64_t>(bytes) + kGranuleBytes - 1) / kGranuleBytes) * kGranuleBytes;
}

}  // namespace

DeviceMemory::DeviceMemory(int64_t limit_bytes) : DeviceMemory(limit_bytes, std::make_unique<HostMemorySource>()) {}

DeviceMemory::DeviceMemory(int64_t limit_bytes, std::unique_ptr<MemorySource> source)
    : limit_bytes_(limit_bytes),
      is_host_memory_(source->is_host_memory()),
      memory_type_(source->memory_type()),
      source_(std::move(source)),
      resident_bytes_(limit_bytes) {
  if (limit_bytes != kNoLimit) stats_.bytes_limit = limit_bytes;
}

int64_t DeviceMemory::ResidentBytes() {
  absl::MutexLock lock(&mutex_);
  return stats_.bytes_in_use + source_->IdleBytes();
}

bool DeviceMemory::Owns(const void* pointer) {
  absl::MutexLock lock(&mutex_);
  return blocks_.count(pointer) > 0;
}

void DeviceMemory::KeepResident(int64_t bytes) {
  absl::MutexLock lock(&mutex_);
  resident_bytes_ = std::min(limit_bytes_, bytes);
}

void* DeviceMemory::AllocateRaw(size_t alignment, size_t num_bytes) {
  return AllocateRaw(alignment, num_bytes, tensorflow::AllocationAttributes());
}

void* DeviceMemory::AllocateRaw(size_t alignment, size_t num_bytes,
                                const tensorflow::AllocationAttributes& attributes) {
  OpRecord* const op = CurrentOp();
  void* const pointer =
      Allocate(op, std::max<int64_t>(alignment, kGranuleBytes), RoundToGranule(num_bytes), attributes);
  if (is_host_memory_ && pointer != nullptr && op != nullptr && op->fill_with_zeros) std::memset(pointer, 0, num_bytes);
  return pointer;
}

void* DeviceMemory::Allocate(OpRecord* op, int64_t alignment, int64_t bytes,
                             const tensorflow::AllocationAttributes& attributes) {
  absl::MutexLock lock(&mutex_);
  if (bytes > limit_bytes_ - stats_.bytes_in_use - awaited_bytes_) return AllocateEmergency(op, bytes, /*why=*/"");

  Block block;
  block.bytes = bytes;
  void* pointer = nullptr;
  if (op != nullptr && op->places != nullptr && bytes >= kSmallestPlannedBytes) {
    pointer = AllocatePlaced(*op, bytes);
    ++(pointer != nullptr ? step_memory_.placed : step_memory_.misplaced);
    if (pointer != nullptr) block.home = Block::kArena;
  }
  if (pointer == nullptr) pointer = source_->Allocate(bytes, alignment, attributes);
  if (pointer == nullptr && attributes.retry_on_failure) pointer = AllocateWaiting(alignment, bytes, attributes);
  if (pointer == nullptr) return AllocateEmergency(op, bytes, source_->WhyRefused());

  if (op != nullptr && op->in_marked_graph && in_step_) {
    block.step = step_;
    step_own_bytes_ += bytes;
  } else if (op != nullptr && op->loop >= 0 && in_step_) {
    block.step = step_;
    block.loop = op->loop;
    NoteLoop(op->loop, bytes);
  }
  if (op != nullptr) {
    op->held.push_back(pointer);
    op->held_bytes += bytes;
    op->max_held_bytes = std::max(op->max_held_bytes, op->held_bytes);
  }
  blocks_[pointer] = block;
  ++stats_.num_allocs;
  stats_.largest_alloc_size = std::max(stats_.largest_alloc_size, bytes);
  stats_.bytes_in_use += bytes;
  NoteLevel();
  source_->Relieve(stats_.bytes_in_use, resident_bytes_);
  return pointer;
}

void* DeviceMemory::AllocatePlaced(OpRecord& op, int64_t bytes) {
  op.place_taken.resize(op.places->size());
  for (int i = 0; i < op.places->size(); ++i) {
    const config::Place& place = op.places->Get(i);
    if (op.place_taken[i] || place.bytes() != bytes) continue;
    op.place_taken[i] = true;
    // Only a file changed by hand has such an offset; kernels crash on misaligned memory.
    if (place.offset() % kGranuleBytes != 0) return nullptr;
    return source_->AllocateAt(place.offset(), bytes);
  }
  return nullptr;
}

void* DeviceMemory::AllocateWaiting(int64_t alignment, int64_t bytes,
                                    const tensorflow::AllocationAttributes& attributes) {
  awaited_bytes_ += bytes;
  mutex_.Unlock();
  void* const pointer = source_->AllocateWaiting(bytes, alignment, attributes);
  mutex_.Lock();
  awaited_bytes_ -= bytes;
  return pointer;
}

void* DeviceMemory::AllocateEmergency(OpRecord* op, int64_t bytes, const std::string& why) {
  if (!source_->has_emergency_memory()) {
    if (op != nullptr && op->refused.empty()) op->refused = OutOfMemoryText(bytes, why);
    return nullptr;
  }
  std::string& message = op != nullptr ? op->out_of_memory : pending_out_of_memory_;
  if (message.empty()) message = OutOfMemoryText(bytes, why);
  void* const pointer = source_->AllocateEmergency(bytes);
  if (pointer == nullptr) return nullptr;
  blocks_[pointer] = Block{bytes, 0, Block::kEmergency};
  return pointer;
}

std::string DeviceMemory::OutOfMemoryText(int64_t bytes, const std::string& why) const {
  return absl::StrCat(
      "out of device memory: ", config::FormatBytes(bytes), " asked for, ", config::FormatBytes(stats_.bytes_in_use),
      " in use, ",
      limit_bytes_ == kNoLimit ? "no limit set" : absl::StrCat("limit ", config::FormatBytes(limit_bytes_)),
      why.empty() ? "" : absl::StrCat("; not the limit: ", why));
}

void DeviceMemory::DeallocateRaw(void* pointer) {
  if (pointer == nullptr) return;
  absl::MutexLock lock(&mutex_);
  const auto it = blocks_.find(pointer);
  CHECK(it != blocks_.end()) << "not allocated here";
  const Block block = it->second;
  blocks_.erase(it);
  if (block.home == Block::kEmergency) {
    source_->FreeEmergency(pointer);
    return;
  }
  if (block.home == Block::kArena) {
    source_->FreePlaced(pointer, block.bytes);
  } else {
    source_->Free(pointer, block.bytes);
  }
  stats_.bytes_in_use -= block.bytes;
  if (block.step != 0 && block.step == step_) {
    if (block.loop >= 0) {
      NoteLoop(block.loop, -block.bytes);
    } else {
      step_own_bytes_ -= block.bytes;
    }
  }
  if (OpRecord* const op = CurrentOp(); op != nullptr) {
    const auto held = std::find(op->held.begin(), op->held.end(), pointer);
    if (held != op->held.end()) {
      op->held.erase(held);
      op->held_bytes -= block.bytes;
    }
  }
}

void DeviceMemory::NoteLoop(int loop, int64_t bytes) {
  if (static_cast<int>(loop_bytes_.size()) <= loop) loop_bytes_.resize(loop + 1, 0);
  if (static_cast<int>(step_memory_.loop_peak_bytes.size()) <= loop) step_memory_.loop_peak_bytes.resize(loop + 1, 0);
  loop_bytes_[loop] += bytes;
  int64_t& peak = step_memory_.loop_peak_bytes[loop];
  peak = std::max(peak, loop_bytes_[loop]);
}

void DeviceMemory::NoteLevel() {
  stats_.peak_bytes_in_use = std::max(stats_.peak_bytes_in_use, stats_.bytes_in_use);
  if (!in_step_) return;
  step_memory_.peak_bytes = std::max(step_memory_.peak_bytes, stats_.bytes_in_use);
  step_memory_.external_bytes = std::max(step_memory_.external_bytes, stats_.bytes_in_use - step_own_bytes_);
  step_memory_.own_peak_bytes = std::max(step_memory_.own_peak_bytes, step_own_bytes_);
}

std::optional<tensorflow::AllocatorStats> DeviceMemory::GetStats() {
  absl::MutexLock lock(&mutex_);
  return stats_;
}

bool DeviceMemory::ClearStats() {
  absl::MutexLock lock(&mutex_);
  stats_.num_allocs = 0;
  stats_.peak_bytes_in_use = stats_.bytes_in_use;
  stats_.largest_alloc_size = 0;
  return true;
}

void DeviceMemory::PrepareArena(int64_t bytes) {
  absl::MutexLock lock(&mutex_);
  source_->PrepareArena(bytes);
}

uint64_t DeviceMemory::BeginStep() {
  absl::MutexLock lock(&mutex_);
  ++step_;
  in_step_ = true;
  step_own_bytes_ = 0;
  loop_bytes_.clear();
  step_memory_ = StepMemory();
  NoteLevel();
  return step_;
}

std::optional<StepMemory> DeviceMemory::EndStep(uint64_t step) {
  absl::MutexLock lock(&mutex_);
  if (step != step_ || !in_step_) return std::nullopt;
  in_step_ = false;
  return step_memory_;
}

std::string DeviceMemory::TakePendingOutOfMemory() {
  absl::MutexLock lock(&mutex_);
  return std::exchange(pending_out_of_memory_, "");
}

}  // namespace str::device
