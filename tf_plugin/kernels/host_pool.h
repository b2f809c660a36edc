// File: host_pool.h
//
// Host memory for swapped tensors. Buffers are kept for the next step: a fresh buffer would be paid for again with a
// page fault per 4 KiB in every step. Sizes are matched exactly and nothing is given back to the system, so a process
// that trains at many shapes keeps the sum of their largest needs. Thread-safe.
#ifndef STR_TF_PLUGIN_KERNELS_HOST_POOL_H_
#define STR_TF_PLUGIN_KERNELS_HOST_POOL_H_

#include <cstdint>
#include <map>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"

namespace str::kernels {

// Returns its memory to the pool when it goes.
class HostBuffer {
 public:
  HostBuffer(char* data, int64_t bytes) : data_(data), bytes_(bytes) {}
  ~HostBuffer();
  HostBuffer(HostBuffer&& other) noexcept : data_(other.data_), bytes_(other.bytes_) { other.data_ = nullptr; }
  HostBuffer& operator=(HostBuffer&&) = delete;

  // Null if the host has no memory left.
  char* data() const { return data_; }

 private:
  char* data_;
  int64_t bytes_;
};

class HostPool {
 public:
  // The process's pool. Never destroyed, as buffers may be in use while the process exits.
  static HostPool& Get();

  HostBuffer Take(int64_t bytes);

  // Bytes handed out, now and at most.
  int64_t bytes_in_use() const;
  int64_t peak_bytes_in_use() const;

 private:
  friend class HostBuffer;
  void GiveBack(char* data, int64_t bytes);

  mutable absl::Mutex mutex_;
  std::map<int64_t, std::vector<char*>> free_by_bytes_ ABSL_GUARDED_BY(mutex_);
  int64_t bytes_in_use_ ABSL_GUARDED_BY(mutex_) = 0;
  int64_t peak_bytes_in_use_ ABSL_GUARDED_BY(mutex_) = 0;
};

}  // namespace str::kernels

#endif  // STR_TF_PLUGIN_KERNELS_HOST_POOL_H_
