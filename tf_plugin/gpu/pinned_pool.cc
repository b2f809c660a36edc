#include "tf_plugin/gpu/pinned_pool.h"

#include <algorithm>
#include <optional>

#include "absl/strings/str_cat.h"
#include "config/text_units.h"
#include "tf_plugin/kernels/swap_ops.h"

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

absl::Status PinnedPool::Reserve(int64_t bytes) {
  absl::MutexLock lock(&mutex_);
  for (const OneBlock& block : blocks_) {
    if (block.taken.capacity_bytes() >= bytes) return absl::OkStatus();
  }
  return bytes > 0 ? Grow(bytes) : absl::OkStatus();
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
    if (absl::Status status = Grow(bytes); !status.ok()) return status;
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
  // Whoever used a part of this range before was waited for before it was written.
  block.used.erase(std::remove_if(block.used.begin(), block.used.end(),
                                  [&](const Used& used) {
                                    return used.offset >= offset && used.offset + used.bytes <= offset + bytes;
                                  }),
                   block.used.end());
  block.used.push_back({offset, bytes, std::move(event)});
}

int64_t PinnedPool::pinned_bytes() const {
  absl::MutexLock lock(&mutex_);
  return pinned_bytes_;
}

int PinnedPool::blocks() const {
  absl::MutexLock lock(&mutex_);
  return static_cast<int>(blocks_.size());
}

}  // namespace str::gpu
