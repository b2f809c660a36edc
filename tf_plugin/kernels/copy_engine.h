// File: copy_engine.h
//
// Copies beside the computation: one thread and one first-in-first-out queue per direction, as a device has one copy
// engine per direction.
#ifndef STR_TF_PLUGIN_KERNELS_COPY_ENGINE_H_
#define STR_TF_PLUGIN_KERNELS_COPY_ENGINE_H_

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/synchronization/mutex.h"
#include "tf_plugin/kernels/transfer.h"

namespace str::kernels {

enum class Direction { kOut, kIn };

class CopyEngine {
 public:
  // The process's engine. Never destroyed: copies may be under way while the process exits.
  static CopyEngine& Get();

  // Says how it ended.
  using Copy = std::function<absl::Status()>;

  // Queues `copy`. It must let go of every tensor before it returns, as `transfer` counts as complete right after.
  void Enqueue(Direction direction, Copy copy, std::shared_ptr<Transfer> transfer);

 private:
  struct Job {
    Copy copy;
    std::shared_ptr<Transfer> transfer;
  };
  struct Lane {
    absl::Mutex mutex;
    std::deque<Job> jobs ABSL_GUARDED_BY(mutex);
  };

  CopyEngine();
  static void Serve(Lane& lane);

  Lane lanes_[2];
};

}  // namespace str::kernels

#endif  // STR_TF_PLUGIN_KERNELS_COPY_ENGINE_H_
