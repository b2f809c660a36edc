#include "tf_plugin/kernels/transfer.h"

#include <utility>

namespace str::kernels {

void Transfer::OnDone(Callback callback) {
  {
    absl::MutexLock lock(&mutex_);
    if (!done_) {
      waiting_.push_back(std::move(callback));
      return;
    }
  }
  callback(status_);
}

void Transfer::Finish(absl::Status status) {
  std::vector<Callback> waiting;
  {
    absl::MutexLock lock(&mutex_);
    status_ = std::move(status);
    done_ = true;
    waiting.swap(waiting_);
  }
  for (const Callback& callback : waiting) callback(status_);
}

}  // namespace str::kernels
