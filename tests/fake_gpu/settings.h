// How the emulated GPU is set up: variables of the environment, read once.
#ifndef STR_TESTS_FAKE_GPU_SETTINGS_H_
#define STR_TESTS_FAKE_GPU_SETTINGS_H_

#include <cstdint>
#include <optional>
#include <string>

namespace str::fake_gpu {

// Which thread's knowledge counts when work is enqueued. A driver cannot see how host threads hand work to each other.
enum class HostClock {
  // All threads know what one of them saw finish. No order that they keep among themselves is reported as missing.
  kShared,
  // A thread knows only what it saw itself or was handed (fake_gpu_hand_over). For tests that know their threads.
  kPerThread,
};

struct Settings {
  // FAKE_GPU_MEMORY, of each device. Also with a unit: "512MiB", "24GB".
  int64_t memory_bytes = int64_t{4} << 30;
  // FAKE_GPU_PINNED_LIMIT: pinned host memory beyond this is refused. 0: no limit.
  int64_t pinned_limit_bytes = 0;
  // FAKE_GPU_COUNT.
  int devices = 1;
  // FAKE_GPU_SEED, of the delays.
  uint64_t seed = 1;
  // FAKE_GPU_DELAY_US: half of the operations begin late, by up to this.
  int64_t delay_us = 0;
  // FAKE_GPU_NOTICE_US: how long the end of an event is kept from polls. A poll may always be late; late ones keep
  // TensorFlow's polling thread from hiding that an order is missing. Until then, FAKE_GPU_NOTICE_OPERATIONS further
  // operations end the wait too.
  int64_t notice_us = 0;
  int64_t notice_operations = 64;
  // FAKE_GPU_CHECK=0 leaves out the race checker.
  bool check = true;
  // FAKE_GPU_TIMER=0: the time between events cannot be asked for.
  bool timer = true;
  // FAKE_GPU_HOST_CLOCK: "shared" or "thread".
  HostClock host_clock = HostClock::kShared;
  // FAKE_GPU_LAUNCH_NS: time of the virtual clock that the host needs to enqueue a kernel or a copy.
  int64_t launch_ns = 5000;
  // FAKE_GPU_DEVICE_FILE: a device file. The virtual clock takes the times of kernels and copies from it; without one
  // they take none.
  std::string device_file;
  // FAKE_GPU_LOG: a file for reports. Empty: standard error.
  std::string log;
};

// Ends the process with a line that names the variable if one has a value that cannot be understood.
Settings SettingsFromEnvironment();

// "4096", "512MiB", "24GB"; nothing if it is no size.
std::optional<int64_t> ParseSize(const std::string& text);

}  // namespace str::fake_gpu

#endif  // STR_TESTS_FAKE_GPU_SETTINGS_H_
