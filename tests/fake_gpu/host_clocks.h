// Each thread of the host, and what it has seen finish. Not thread-safe: the driver holds its lock.
#ifndef STR_TESTS_FAKE_GPU_HOST_CLOCKS_H_
#define STR_TESTS_FAKE_GPU_HOST_CLOCKS_H_

#include <map>
#include <thread>

#include "tests/fake_gpu/settings.h"
#include "tests/fake_gpu/vector_clock.h"

namespace str::fake_gpu {

class HostClocks {
 public:
  explicit HostClocks(HostClock mode) : mode_(mode) {}

  // The calling thread's knowledge.
  const VectorClock& Mine() { return mode_ == HostClock::kShared ? shared_ : threads_[std::this_thread::get_id()]; }

  // The calling thread has seen everything in `clock` finish.
  void Saw(const VectorClock& clock) {
    if (mode_ == HostClock::kShared) {
      shared_.Join(clock);
    } else {
      threads_[std::this_thread::get_id()].Join(clock);
    }
  }

 private:
  const HostClock mode_;
  VectorClock shared_;
  std::map<std::thread::id, VectorClock> threads_;
};

}  // namespace str::fake_gpu

#endif  // STR_TESTS_FAKE_GPU_HOST_CLOCKS_H_
