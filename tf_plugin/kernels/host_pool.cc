#include "tf_plugin/kernels/host_pool.h"

#include <algorithm>
#include <cstdlib>
#include <limits>

#include "tf_plugin/settings.h"

namespace str::kernels {

HostBuffer::~HostBuffer() {
  if (data_ != nullptr) pool_->GiveBack(data_, bytes_);
}

HostPool& HostPool::Get() {
  static HostPool* const pool =
      new HostPool(GetSettings().host_limit_bytes.value_or(std::numeric_limits<int64_t>::max()));
  return *pool;
}

HostPool::~HostPool() {
  for (const auto& [bytes, buffers] : free_by_bytes_) {
    for (char* const data : buffers) std::free(data);
  }
}

void HostPool::MakeRoom(int64_t bytes) {
  for (auto size = free_by_bytes_.rbegin(); size != free_by_bytes_.rend(); ++size) {
    while (!size->second.empty() && kept_bytes_ > limit_bytes_ - bytes_in_use_ - bytes) {
      std::free(size->second.back());
      size->second.pop_back();
      kept_bytes_ -= size->first;
    }
  }
}

HostBuffer HostPool::Take(int64_t bytes) {
  absl::MutexLock lock(&mutex_);
  char* data = nullptr;
  std::vector<char*>& free = free_by_bytes_[bytes];
  if (!free.empty()) {
    data = free.back();
    free.pop_back();
    kept_bytes_ -= bytes;
  } else {
    MakeRoom(bytes);
    data = static_cast<char*>(std::malloc(bytes));
  }
  if (data != nullptr) {
    bytes_in_use_ += bytes;
    peak_bytes_in_use_ = std::max(peak_bytes_in_use_, bytes_in_use_);
  }
  return HostBuffer(this, data, bytes);
}

void HostPool::GiveBack(char* data, int64_t bytes) {
  absl::MutexLock lock(&mutex_);
  bytes_in_use_ -= bytes;
  kept_bytes_ += bytes;
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

int64_t HostPool::kept_bytes() const {
  absl::MutexLock lock(&mutex_);
  return kept_bytes_;
}

}  // namespace str::kernels
