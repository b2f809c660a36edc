// An event of CUDA: a point in a stream that other streams and the host can wait for.
//
// Thread-safe. Recording anew replaces what the event stands for; who waits already, waits for the earlier recording.
#ifndef STR_TESTS_FAKE_GPU_EVENT_H_
#define STR_TESTS_FAKE_GPU_EVENT_H_

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>

#include "tests/fake_gpu/vector_clock.h"

namespace str::fake_gpu {

class Event {
 public:
  using Time = std::chrono::steady_clock::time_point;

  // The last recording. `number` is 0 if there was none.
  struct Recording {
    int64_t number = 0;
    VectorClock clock;
    // On the virtual clock.
    int64_t ns = 0;
  };

  // How the end of a recording was seen: when, and after how many operations were enqueued in all.
  struct Completion {
    Time time;
    int64_t operations = 0;
  };

  // Returns the recording's number, for Complete.
  int64_t Record(const VectorClock& clock, int64_t ns) {
    std::lock_guard<std::mutex> lock(mutex_);
    last_.clock = clock;
    last_.ns = ns;
    return ++last_.number;
  }

  Recording Last() const {
    std::lock_guard<std::mutex> lock(mutex_);
    return last_;
  }

  // The stream has reached the recording.
  void Complete(int64_t number, Completion completion) {
    {
      std::lock_guard<std::mutex> lock(mutex_);
      if (number <= completed_) return;
      completed_ = number;
      completion_ = completion;
    }
    changed_.notify_all();
  }

  void WaitFor(int64_t number) {
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait(lock, [&] { return completed_ >= number; });
  }

  // Whether the last recording is complete, and then how.
  bool Completed(Completion* completion) const {
    std::lock_guard<std::mutex> lock(mutex_);
    *completion = completion_;
    return completed_ >= last_.number;
  }

 private:
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  Recording last_;
  int64_t completed_ = 0;
  Completion completion_;
};

}  // namespace str::fake_gpu

#endif  // STR_TESTS_FAKE_GPU_EVENT_H_
