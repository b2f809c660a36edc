#include "tf_plugin/kernels/host_pool.h"

#include <algorithm>
#include <cstdlib>

namespace str::kernels {

HostBuffer::~HostBuffer() {
  if (data_ != nullptr) HostPool::Get().GiveBack(data_, bytes_);
}

HostPool& HostPool::Get() {
  static HostPool* const pool = new HostPool;
  return *pool;
}

HostBuffer HostPool::Take(int64_t bytes) {
  absl::MutexLock lock(&mutex_);
  char* data = nullptr;
  std::vector<char*>& free = free_by_bytes_[bytes];
  if (!free.empty()) {
    data = free.back();
    free.pop_back();
  } else {
    data = static_cast<char*>(std::malloc(bytes));
  }
  if (data != nullptr) {
    bytes_in_use_ += bytes;
    peak_bytes_in_use_ = std::max(peak_bytes_in_use_, bytes_in_use_);
  }
  return HostBuffer(data, bytes);
}

void HostPool::GiveBack(char* data, int64_t bytes) {
  absl::MutexLock lock(&mutex_);
  bytes_in_use_ -= bytes;
  free_by_bytes_[bytes].push_back(data);
}

int64_t HostPool::bytes_in_use() const {
  absl::MutexLock lock(&mutex_);
  return bytes_in_use_;
}

int64_t HostPool::peak_bytes_in_use() const {
  absl::MutexLock lock(&mutex_);
  return peak_bytes_in_use_;
}

}  // namespace str::kernels
