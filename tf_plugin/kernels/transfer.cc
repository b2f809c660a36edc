#include "tf_plugin/kernels/transfer.h"

#include <utility>

namespace str::kernels {

void Transfer::OnDone(std::function<void()> callback) {
  {
    absl::MutexLock lock(&mutex_);
    if (!done_) {
      waiting_.push_back(std::move(callback));
      return;
    }
  }
  callback();
}

void Transfer::Finish() {
  std::vector<std::function<void()>> waiting;
  {
    absl::MutexLock lock(&mutex_);
    done_ = true;
    waiting.swap(waiting_);
  }
  for (const std::function<void()>& callback : waiting) callback();
}

}  // namespace str::kernels
