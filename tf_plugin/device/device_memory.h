// File: device_memory.h
//
// The memory of a device: a TensorFlow allocator with a hard limit on bytes in use. Its blocks come from a source,
// which is the host's memory for STR's CPU device and TensorFlow's own allocator for a GPU.
//
// - Every request is rounded up to kGranuleBytes; blocks are split exactly. So bytes in use, and with them the peak,
//   depend only on what is alive and not on the history of the process.
// - Under a plan, an op's allocations go to the places that were planned offline, in an arena of their own. An
//   allocation that finds its place taken, or has none, is served from the general region: never wrong, only unplanned.
// - A request beyond the limit gets the source's emergency memory, outside of the limit, and the op that asked fails
//   with RESOURCE_EXHAUSTED after it returned (OpRecord::out_of_memory). Without a current op the message waits for the
//   next op (TakePendingOutOfMemory). Where the source has no such memory the request gets null, and whether that is a
//   failure is for the kernel to say (OpRecord::refused).
// - A request within the limit that the source cannot serve may wait for others to free memory, if its attributes allow
//   that and the source can. The limit itself never waits.
//
// Thread-safe.
#ifndef STR_TF_PLUGIN_DEVICE_DEVICE_MEMORY_H_
#define STR_TF_PLUGIN_DEVICE_DEVICE_MEMORY_H_

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "tensorflow/core/framework/allocator.h"
#include "tf_plugin/device/current_op.h"
#include "tf_plugin/device/memory_source.h"

namespace str::device {

inline constexpr int64_t kGranuleBytes = 256;
// Smaller allocations are not planned: there are many, and together they are little.
inline constexpr int64_t kSmallestPlannedBytes = 64 * 1024;
inline constexpr int64_t kNoLimit = std::numeric_limits<int64_t>::max();

// What was seen between BeginStep and EndStep.
struct StepMemory {
  int64_t peak_bytes = 0;
  // Highest level of bytes in use that the step's own ops did not allocate in this step.
  int64_t external_bytes = 0;
  // Highest level of those that they did.
  int64_t own_peak_bytes = 0;
  // Allocations that had a planned place and got it, and that did not get it.
  int64_t placed = 0;
  int64_t misplaced = 0;
  // By loop (OpRecord::loop): most bytes that its ops had allocated and that were still held.
  std::vector<int64_t> loop_peak_bytes;
};

class DeviceMemory : public tensorflow::Allocator {
 public:
  // Of the host.
  explicit DeviceMemory(int64_t limit_bytes);
  DeviceMemory(int64_t limit_bytes, std::unique_ptr<MemorySource> source);

  std::string Name() override { return "str_device_memory"; }
  void* AllocateRaw(size_t alignment, size_t num_bytes) override;
  void* AllocateRaw(size_t alignment, size_t num_bytes, const tensorflow::AllocationAttributes& attributes) override;
  void DeallocateRaw(void* pointer) override;
  std::optional<tensorflow::AllocatorStats> GetStats() override;
  bool ClearStats() override;
  tensorflow::AllocatorMemoryType GetMemoryType() const override { return memory_type_; }

  // Bytes that the device holds of the host's memory: what is in use, and freed pages that were not given back.
  int64_t ResidentBytes();
  // Whether `pointer` is what AllocateRaw returned, and not freed since.
  bool Owns(const void* pointer);
  // From now on freed pages go back to the system where otherwise more than `bytes` would be held.
  void KeepResident(int64_t bytes);

  // Before a step with planned places, all of which end at or below `bytes`.
  void PrepareArena(int64_t bytes);

  // A step of a marked graph. One at a time: a second BeginStep starts anew, and the first step is then not measured.
  uint64_t BeginStep();
  // `step` is what BeginStep returned. Absent if another step began meanwhile.
  std::optional<StepMemory> EndStep(uint64_t step);

  // Why an allocation outside of any op could not be served within the limit since the last call; empty if none.
  std::string TakePendingOutOfMemory();

 private:
  struct Block {
    int64_t bytes = 0;
    // The step that allocated it; 0 if no step did.
    uint64_t step = 0;
    enum { kGeneral, kArena, kEmergency } home = kGeneral;
    // OpRecord::loop.
    int loop = -1;
  };

  void* Allocate(OpRecord* op, int64_t alignment, int64_t bytes, const tensorflow::AllocationAttributes& attributes);
  void* AllocatePlaced(OpRecord& op, int64_t bytes) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Lets go of the lock meanwhile.
  void* AllocateWaiting(int64_t alignment, int64_t bytes, const tensorflow::AllocationAttributes& attributes)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // `why`: the source's words; empty if it is the limit.
  void* AllocateEmergency(OpRecord* op, int64_t bytes, const std::string& why) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  std::string OutOfMemoryText(int64_t bytes, const std::string& why) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void NoteLoop(int loop, int64_t bytes) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void NoteLevel() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const int64_t limit_bytes_;
  const bool is_host_memory_;
  const tensorflow::AllocatorMemoryType memory_type_;
  absl::Mutex mutex_;
  // Guarded by mutex_, but for what it allows without (MemorySource::AllocateWaiting).
  const std::unique_ptr<MemorySource> source_;
  // Asked for by those who wait for memory: counts against the limit.
  int64_t awaited_bytes_ ABSL_GUARDED_BY(mutex_) = 0;
  std::unordered_map<const void*, Block> blocks_ ABSL_GUARDED_BY(mutex_);
  tensorflow::AllocatorStats stats_ ABSL_GUARDED_BY(mutex_);
  // At most the limit.
  int64_t resident_bytes_ ABSL_GUARDED_BY(mutex_);
  std::string pending_out_of_memory_ ABSL_GUARDED_BY(mutex_);

  uint64_t step_ ABSL_GUARDED_BY(mutex_) = 0;
  bool in_step_ ABSL_GUARDED_BY(mutex_) = false;
  int64_t step_own_bytes_ ABSL_GUARDED_BY(mutex_) = 0;
  std::vector<int64_t> loop_bytes_ ABSL_GUARDED_BY(mutex_);
  StepMemory step_memory_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace str::device

#endif  // STR_TF_PLUGIN_DEVICE_DEVICE_MEMORY_H_
