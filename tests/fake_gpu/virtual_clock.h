// When work would begin and end on a GPU, computed while it is enqueued, in whole nanoseconds.
//
// Work begins when the host has enqueued it, the work before it in its stream has ended, and the engine that does it is
// free. Each device has one engine that computes and one per direction of copies. How long this machine takes does not
// matter, so that figures repeat exactly if work is enqueued in the same order. Not thread-safe: the driver holds its
// lock.
#ifndef STR_TESTS_FAKE_GPU_VIRTUAL_CLOCK_H_
#define STR_TESTS_FAKE_GPU_VIRTUAL_CLOCK_H_

#include <cstdint>
#include <map>
#include <utility>

namespace str::fake_gpu {

enum class Engine { kCompute, kCopyOut, kCopyIn };

class VirtualClock {
 public:
  explicit VirtualClock(int64_t launch_ns) : launch_ns_(launch_ns) {}

  // The host enqueues work of this duration that may begin at `ready_ns` at the earliest. Returns when it ends.
  int64_t Enqueue(int device, Engine engine, int64_t ready_ns, int64_t duration_ns);

  // The host has waited for something that ended then.
  void HostWaited(int64_t until_ns);
  int64_t host_ns() const { return host_ns_; }

 private:
  // Begin -> end of what an engine does; disjoint.
  using Busy = std::map<int64_t, int64_t>;

  const int64_t launch_ns_;
  int64_t host_ns_ = 0;
  std::map<std::pair<int, Engine>, Busy> engines_;
};

}  // namespace str::fake_gpu

#endif  // STR_TESTS_FAKE_GPU_VIRTUAL_CLOCK_H_
