// File: pinned_pool.h
//
// Pinned host memory for tensors swapped from a GPU. Only pinned memory can be copied while the host goes on, and
// getting it takes milliseconds and may stop the device, so that it is taken in one block before the first step
// (Reserve), as large as the plan needs. A larger plan's block replaces those that nobody uses. What does not fit gets
// a block of its own, which is kept as well, and is reported (STR-3015): no plan needs that.
//
// A buffer is given back when the host is done with it. Copies on streams may still use it: whoever takes the memory
// next gets the events to wait for. Thread-safe.
#ifndef STR_TF_PLUGIN_GPU_PINNED_POOL_H_
#define STR_TF_PLUGIN_GPU_PINNED_POOL_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "tf_plugin/device/offset_ranges.h"
#include "xla/stream_executor/event.h"
#include "xla/stream_executor/memory_allocation.h"

namespace str::gpu {

class PinnedPool;

// Gives its memory back when it goes. The pool outlives it.
class PinnedBuffer {
 public:
  using Event = std::shared_ptr<stream_executor::Event>;

  PinnedBuffer(PinnedPool* pool, int block, int64_t offset, char* data, std::vector<Event> before)
      : pool_(pool), block_(block), offset_(offset), data_(data), before_(std::move(before)) {}
  ~PinnedBuffer();
  PinnedBuffer(PinnedBuffer&& other) noexcept
      : pool_(std::exchange(other.pool_, nullptr)),
        block_(other.block_),
        offset_(other.offset_),
        data_(other.data_),
        before_(std::move(other.before_)),
        last_(std::move(other.last_)) {}
  PinnedBuffer& operator=(PinnedBuffer&&) = delete;

  char* data() const { return data_; }
  // Must have happened before the memory is written.
  const std::vector<Event>& before() const { return before_; }
  // Says that the memory is in use until `event`. A later event replaces an earlier one.
  void UsedUntil(Event event) { last_ = std::move(event); }

 private:
  PinnedPool* pool_;
  int block_;
  int64_t offset_;
  char* data_;
  std::vector<Event> before_;
  Event last_;
};

class PinnedPool {
 public:
  using Block = std::unique_ptr<stream_executor::MemoryAllocation>;
  // Gets pinned memory from the system.
  using Source = std::function<absl::StatusOr<Block>(int64_t bytes)>;

  // `limit_bytes`: most that the pool takes of the system.
  PinnedPool(Source source, int64_t limit_bytes) : source_(std::move(source)), limit_bytes_(limit_bytes) {}

  // Makes sure that the pool has a block of `bytes`. RESOURCE_EXHAUSTED with the sizes if the limit or the system
  // refuses.
  absl::Status Reserve(int64_t bytes);
  absl::StatusOr<PinnedBuffer> Take(int64_t bytes);

  // What the pool has of the system, in how many blocks, and how many uses it remembers.
  int64_t pinned_bytes() const;
  int blocks() const;
  int uses() const;

 private:
  friend class PinnedBuffer;
  using Event = PinnedBuffer::Event;
  // A range that was given back, in use until its event. The ranges of a block do not overlap, so that there are never
  // more of them than the block has granules, and as many as the plan has copies if each step is like the last.
  struct Used {
    int64_t offset, bytes;
    Event event;
  };
  struct OneBlock {
    Block memory;
    device::OffsetRanges taken;
    std::vector<Used> used;
  };
  static bool IsIdle(const OneBlock& block);

  absl::Status Grow(int64_t bytes) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Gives blocks back to the system that nobody has a part of, and no copy uses any more.
  void DropIdleBlocks() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void GiveBack(int block, int64_t offset, Event event);

  const Source source_;
  const int64_t limit_bytes_;
  mutable absl::Mutex mutex_;
  // A buffer knows its block by index: one that was given back stays, without memory.
  std::vector<OneBlock> blocks_ ABSL_GUARDED_BY(mutex_);
  int64_t pinned_bytes_ ABSL_GUARDED_BY(mutex_) = 0;
};

}  // namespace str::gpu

#endif  // STR_TF_PLUGIN_GPU_PINNED_POOL_H_
