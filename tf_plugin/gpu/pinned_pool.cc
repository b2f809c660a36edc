#include "tf_plugin/gpu/pinned_pool.h"

#include <algorithm>
#include <optional>

#include "absl/strings/str_cat.h"
#include "config/text_units.h"
#include "tf_plugin/kernels/swap_ops.h"
#include "tf_plugin/messages.h"

namespace str::gpu {

PinnedBuffer::~PinnedBuffer() {
  if (pool_ != nullptr) pool_->GiveBack(block_, offset_, std::move(last_));
}

absl::Status PinnedPool::Grow(int64_t bytes) {
  if (bytes > limit_bytes_ - pinned_bytes_) {
    return absl::ResourceExhaustedError(absl::StrCat(
        "swapping needs ", config::FormatBytes(bytes), " of pinned host memory beside ",
        config::FormatBytes(pinned_bytes_), ", STR_HOST_LIMIT allows ", config::FormatBytes(limit_bytes_)));
  }
  absl::StatusOr<Block> memory = source_(bytes);
  if (!memory.ok() || *memory == nullptr || (*memory)->address().opaque() == nullptr) {
    return absl::ResourceExhaustedError(
        absl::StrCat("the system gives no ", config::FormatBytes(bytes), " of pinned host memory beside ",
                     config::FormatBytes(pinned_bytes_),
                     "; plan with a smaller --host-limit, or raise the system's limit of locked "
                     "memory",
                     memory.ok() ? "" : absl::StrCat(" (", memory.status().message(), ")")));
  }
  blocks_.push_back({*std::move(memory), device::OffsetRanges(bytes), {}});
  pinned_bytes_ += bytes;
  return absl::OkStatus();
}

bool PinnedPool::IsIdle(const OneBlock& block) {
  return block.taken.empty() && std::all_of(block.used.begin(), block.used.end(), [](const Used& used) {
           return used.event->PollForStatus() == stream_executor::Event::Status::kComplete;
         });
}

void PinnedPool::DropIdleBlocks() {
  for (OneBlock& block : blocks_) {
    if (block.memory == nullptr || !IsIdle(block)) continue;
    pinned_bytes_ -= block.taken.capacity_bytes();
    block = {nullptr, device::OffsetRanges(0), {}};
  }
}

absl::Status PinnedPool::Reserve(int64_t bytes) {
  absl::MutexLock lock(&mutex_);
  for (const OneBlock& block : blocks_) {
    if (block.taken.capacity_bytes() >= bytes) return absl::OkStatus();
  }
  if (bytes <= 0) return absl::OkStatus();
  DropIdleBlocks();
  return Grow(bytes);
}

absl::StatusOr<PinnedBuffer> PinnedPool::Take(int64_t bytes) {
  bytes = kernels::RoundedForPool(bytes);
  absl::MutexLock lock(&mutex_);
  int index = 0;
  std::optional<int64_t> offset;
  for (; index < static_cast<int>(blocks_.size()); ++index) {
    offset = blocks_[index].taken.Take(bytes);
    if (offset.has_value()) break;
  }
  if (!offset.has_value()) {
    const int64_t before_bytes = pinned_bytes_;
    if (absl::Status status = Grow(bytes); !status.ok()) return status;
    if (before_bytes > 0) {
      Say("STR-3015", absl::StrCat("swapped tensors take ", config::FormatBytes(pinned_bytes_),
                                   " of pinned host memory, more than the ", config::FormatBytes(before_bytes),
                                   " that were taken for the plan"));
    }
    offset = blocks_[index].taken.Take(bytes);
  }
  OneBlock& block = blocks_[index];
  std::vector<Event> before;
  for (const Used& used : block.used) {
    if (used.offset < *offset + bytes && *offset < used.offset + used.bytes) before.push_back(used.event);
  }
  return PinnedBuffer(this, index, *offset, static_cast<char*>(block.memory->address().opaque()) + *offset,
                      std::move(before));
}

void PinnedPool::GiveBack(int index, int64_t offset, Event event) {
  absl::MutexLock lock(&mutex_);
  OneBlock& block = blocks_[index];
  const int64_t bytes = block.taken.Give(offset);
  if (event == nullptr) return;
  // Whoever used a part of this range before was waited for before it was written: what lies beside it remains.
  std::vector<Used> used;
  const int64_t end = offset + bytes;
  for (const Used& earlier : block.used) {
    const int64_t earlier_end = earlier.offset + earlier.bytes;
    const int64_t left_end = std::min(earlier_end, offset), right_start = std::max(earlier.offset, end);
    if (earlier.offset < left_end) used.push_back({earlier.offset, left_end - earlier.offset, earlier.event});
    if (right_start < earlier_end) used.push_back({right_start, earlier_end - right_start, earlier.event});
  }
  used.push_back({offset, bytes, std::move(event)});
  block.used = std::move(used);
}

int64_t PinnedPool::pinned_bytes() const {
  absl::MutexLock lock(&mutex_);
  return pinned_bytes_;
}

int PinnedPool::blocks() const {
  absl::MutexLock lock(&mutex_);
  return std::count_if(blocks_.begin(), blocks_.end(), [](const OneBlock& block) { return block.memory != nullptr; });
}

int PinnedPool::uses() const {
  absl::MutexLock lock(&mutex_);
  size_t count = 0;
  for (const OneBlock& block : blocks_) count += block.used.size();
  return static_cast<int>(count);
}

}  // namespace str::gpu
