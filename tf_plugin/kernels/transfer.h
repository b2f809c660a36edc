// File: transfer.h
//
// One copy between device and host: pending until Finish, then done for ever. Thread-safe.
#ifndef STR_TF_PLUGIN_KERNELS_TRANSFER_H_
#define STR_TF_PLUGIN_KERNELS_TRANSFER_H_

#include <functional>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"

namespace str::kernels {

class Transfer {
 public:
  // Runs `callback` once the copy is complete: now if it is, else on the copying thread.
  void OnDone(std::function<void()> callback);
  void Finish();

 private:
  absl::Mutex mutex_;
  bool done_ ABSL_GUARDED_BY(mutex_) = false;
  std::vector<std::function<void()>> waiting_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace str::kernels

#endif  // STR_TF_PLUGIN_KERNELS_TRANSFER_H_
