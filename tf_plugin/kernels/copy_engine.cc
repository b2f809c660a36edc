#include "tf_plugin/kernels/copy_engine.h"

#include <thread>
#include <utility>

namespace str::kernels {

CopyEngine& CopyEngine::Get() {
  static CopyEngine* const engine = new CopyEngine;
  return *engine;
}

CopyEngine::CopyEngine() {
  for (Lane& lane : lanes_) std::thread([&lane] { Serve(lane); }).detach();
}

void CopyEngine::Enqueue(Direction direction, Copy copy, std::shared_ptr<Transfer> transfer) {
  Lane& lane = lanes_[direction == Direction::kOut ? 0 : 1];
  absl::MutexLock lock(&lane.mutex);
  lane.jobs.push_back({std::move(copy), std::move(transfer)});
}

void CopyEngine::Serve(Lane& lane) {
  for (;;) {
    Job job;
    {
      absl::MutexLock lock(&lane.mutex);
      lane.mutex.Await(absl::Condition(
          +[](Lane* l) ABSL_NO_THREAD_SAFETY_ANALYSIS { return !l->jobs.empty(); }, &lane));
      job = std::move(lane.jobs.front());
      lane.jobs.pop_front();
    }
    absl::Status status = job.copy();
    // What the copy captured goes before anybody hears of its end: waiting ops must find the buffers free.
    job.copy = nullptr;
    job.transfer->Finish(std::move(status));
  }
}

}  // namespace str::kernels
