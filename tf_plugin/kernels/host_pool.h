// File: host_pool.h
//
// Host memory for swapped tensors. Buffers are kept for the next step: a fresh buffer would be paid for again with a
// page fault per 4 KiB in every step. Sizes are matched exactly and nothing is given back to the system, so a process
// that trains at many shapes keeps the sum of their largest needs; unless there is a limit (STR_HOST_LIMIT): then
// buffers that nobody uses go before it is passed. Thread-safe.
#ifndef STR_TF_PLUGIN_KERNELS_HOST_POOL_H_
#define STR_TF_PLUGIN_KERNELS_HOST_POOL_H_

#include <cstdint>
#include <map>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"

namespace str::kernels {

class HostPool;

// Returns its memory to the pool when it goes.
class HostBuffer {
 public:
  HostBuffer(HostPool* pool, char* data, int64_t bytes) : pool_(pool), data_(data), bytes_(bytes) {}
  ~HostBuffer();
  HostBuffer(HostBuffer&& other) noexcept : pool_(other.pool_), data_(other.data_), bytes_(other.bytes_) {
    other.data_ = nullptr;
  }
  HostBuffer& operator=(HostBuffer&&) = delete;

  // Null if the host has no memory left.
  char* data() const { return data_; }

 private:
  HostPool* pool_;
  char* data_;
  int64_t bytes_;
};

class HostPool {
 public:
  // The process's pool. Never destroyed, as buffers may be in use while the process exits.
  static HostPool& Get();

  // `limit_bytes`: of what is in use and kept together; what is in use may pass it.
  explicit HostPool(int64_t limit_bytes) : limit_bytes_(limit_bytes) {}
  // Expects that all buffers are back.
  ~HostPool();

  HostBuffer Take(int64_t bytes);

  // Bytes handed out, now and at most.
  int64_t bytes_in_use() const;
  int64_t peak_bytes_in_use() const;
  // Besides, bytes that wait for the next step.
  int64_t kept_bytes() const;

 private:
  friend class HostBuffer;
  void GiveBack(char* data, int64_t bytes);
  // Gives kept buffers back to the system, the largest first, until `bytes` more are within the limit.
  void MakeRoom(int64_t bytes) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const int64_t limit_bytes_;
  mutable absl::Mutex mutex_;
  std::map<int64_t, std::vector<char*>> free_by_bytes_ ABSL_GUARDED_BY(mutex_);
  int64_t bytes_in_use_ ABSL_GUARDED_BY(mutex_) = 0;
  int64_t peak_bytes_in_use_ ABSL_GUARDED_BY(mutex_) = 0;
  int64_t kept_bytes_ ABSL_GUARDED_BY(mutex_) = 0;
};

}  // namespace str::kernels

#endif  // STR_TF_PLUGIN_KERNELS_HOST_POOL_H_
