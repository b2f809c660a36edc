// File: refusing_source.h
//
// A memory source for tests that is like a GPU's: it gives null instead of emergency memory, and can wait for memory
// that others free.
#ifndef STR_TF_PLUGIN_DEVICE_REFUSING_SOURCE_H_
#define STR_TF_PLUGIN_DEVICE_REFUSING_SOURCE_H_

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "tf_plugin/device/memory_source.h"

namespace str::device {

class RefusingSource : public MemorySource {
 public:
  // `free_bytes`: what it has.
  explicit RefusingSource(int64_t free_bytes) : free_bytes_(free_bytes) {}

  void* Allocate(int64_t bytes, int64_t, const tensorflow::AllocationAttributes&) override {
    absl::MutexLock lock(&mutex_);
    if (bytes > free_bytes_) return nullptr;
    free_bytes_ -= bytes;
    return std::malloc(bytes);
  }
  void* AllocateWaiting(int64_t bytes, int64_t alignment, const tensorflow::AllocationAttributes& attributes) override {
    ++waits_;
    {
      absl::MutexLock lock(&mutex_);
      const auto is_enough = [&]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) { return free_bytes_ >= bytes; };
      mutex_.AwaitWithTimeout(absl::Condition(&is_enough), patience_);
    }
    return Allocate(bytes, alignment, attributes);
  }
  std::string WhyRefused() override { return "the source has no more"; }
  void Free(void* pointer, int64_t bytes) override {
    absl::MutexLock lock(&mutex_);
    free_bytes_ += bytes;
    std::free(pointer);
  }
  void* AllocateAt(int64_t, int64_t) override { return nullptr; }
  void FreePlaced(void*, int64_t) override {}
  bool has_emergency_memory() const override { return false; }
  void* AllocateEmergency(int64_t) override { return nullptr; }
  void FreeEmergency(void*) override {}
  bool is_host_memory() const override { return false; }
  tensorflow::AllocatorMemoryType memory_type() const override { return tensorflow::AllocatorMemoryType::kDevice; }
  void Relieve(int64_t, int64_t) override {}

  int waits() const { return waits_; }
  void set_patience(absl::Duration patience) { patience_ = patience; }

 private:
  absl::Mutex mutex_;
  int64_t free_bytes_ ABSL_GUARDED_BY(mutex_);
  std::atomic<int> waits_ = 0;
  absl::Duration patience_ = absl::ZeroDuration();
};

}  // namespace str::device

#endif  // STR_TF_PLUGIN_DEVICE_REFUSING_SOURCE_H_
