// File: transfer.h
//
// One copy between device and host or disk: pending until Finish, then done for ever, well or with an error.
// Thread-safe.
#ifndef STR_TF_PLUGIN_KERNELS_TRANSFER_H_
#define STR_TF_PLUGIN_KERNELS_TRANSFER_H_

#include <functional>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/synchronization/mutex.h"

namespace str::kernels {

class Transfer {
 public:
  // How the copy ended.
  using Callback = std::function<void(const absl::Status&)>;

  // Runs `callback` once the copy is complete: now if it is, else on the copying thread.
  void OnDone(Callback callback);
  void Finish(absl::Status status);

 private:
  absl::Mutex mutex_;
  bool done_ ABSL_GUARDED_BY(mutex_) = false;
  // Does not change any more once done_ is set.
  absl::Status status_;
  std::vector<Callback> waiting_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace str::kernels

#endif  // STR_TF_PLUGIN_KERNELS_TRANSFER_H_
