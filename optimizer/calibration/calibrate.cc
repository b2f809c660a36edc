#include "optimizer/calibration/calibrate.h"

#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/clock.h"
#include "optimizer/calibration/matrix_product.h"

namespace str::optimizer {
namespace {

constexpr int64_t kTinyCopyBytes = 64;

// Runs jobs one after the other in a thread of its own, as the plugin makes its copies.
class CopyThread {
 public:
  CopyThread() : thread_([this] { Serve(); }) {}

  ~CopyThread() {
    Run(nullptr);
    thread_.join();
  }

  // Returns when the job is done.
  void Run(std::function<void()> job) {
    absl::MutexLock lock(&mutex_);
    job_ = std::move(job);
    state_ = State::kWaiting;
    mutex_.Await(absl::Condition(
        +[](State* state) { return *state == State::kDone; }, &state_));
  }

 private:
  enum class State { kIdle, kWaiting, kDone };

  void Serve() {
    for (;;) {
      std::function<void()> job;
      {
        absl::MutexLock lock(&mutex_);
        mutex_.Await(absl::Condition(
            +[](State* state) { return *state == State::kWaiting; }, &state_));
        job = std::move(job_);
      }
      if (job) job();
      absl::MutexLock lock(&mutex_);
      state_ = State::kDone;
      if (!job) return;
    }
  }

  absl::Mutex mutex_;
  std::function<void()> job_;
  State state_ = State::kIdle;
  // Last, so that everything it uses is there.
  std::thread thread_;
};

// Median over the repetitions of the seconds that `work` takes; once before that does not count.
double MedianSeconds(int repetitions, const std::function<void()>& work) {
  work();
  std::vector<double> seconds;
  for (int i = 0; i < repetitions; ++i) {
    const absl::Time start = absl::Now();
    work();
    seconds.push_back(std::max(1e-9, absl::ToDoubleSeconds(absl::Now() - start)));
  }
  std::nth_element(seconds.begin(), seconds.begin() + repetitions / 2, seconds.end());
  return seconds[repetitions / 2];
}

// The same work on `threads` threads at the same time.
void InParallel(int threads, const std::function<void(int)>& work) {
  std::vector<std::thread> running;
  for (int i = 1; i < threads; ++i) running.emplace_back(work, i);
  work(0);
  for (std::thread& thread : running) thread.join();
}

void Set(config::Figure* figure, double value, std::string source) {
  figure->set_value(value);
  figure->set_source(std::move(source));
}

void MeasureCopies(const CalibrationOptions& options, config::DeviceFile* device) {
  std::vector<char> device_side(options.bytes, 1), host_side(options.bytes, 2);
  CopyThread thread;
  const auto rate = [&](char* to, const char* from) {
    return options.bytes /
           MedianSeconds(options.repetitions, [&] { thread.Run([&] { std::memcpy(to, from, options.bytes); }); });
  };
  const std::string source = absl::StrCat("measured by str calibrate: median of ", options.repetitions, " copies of ",
                                          options.bytes >> 20, " MiB in a thread of their own");
  Set(device->mutable_copy_out_bytes_per_second(), rate(host_side.data(), device_side.data()), source);
  Set(device->mutable_copy_in_bytes_per_second(), rate(device_side.data(), host_side.data()), source);
  const double latency = MedianSeconds(
      101, [&] { thread.Run([&] { std::memcpy(host_side.data(), device_side.data(), kTinyCopyBytes); }); });
  device->set_copy_latency_ns(static_cast<int64_t>(latency * 1e9));
}

void MeasureMemory(const CalibrationOptions& options, int threads, config::DeviceFile* device) {
  const int64_t count = options.bytes / static_cast<int64_t>(sizeof(float));
  std::vector<std::vector<float>> from(threads, std::vector<float>(count, 1.0f)), to = from;
  const double seconds = MedianSeconds(options.repetitions, [&] {
    InParallel(threads, [&](int thread) {
      const float* source = from[thread].data();
      float* target = to[thread].data();
      for (int64_t i = 0; i < count; ++i) target[i] = 0.5f * source[i];
    });
  });
  Set(device->mutable_memory_bytes_per_second(), 2.0 * threads * options.bytes / seconds,
      absl::StrCat("measured by str calibrate: median of ", options.repetitions, " passes on ", threads,
                   " threads that read and write ", options.bytes >> 20, " MiB each"));
}

void MeasureComputing(const CalibrationOptions& options, int threads, config::DeviceFile* device) {
  const int side = options.matrix_side;
  std::vector<float> a(side * side, 0.5f), b(side * side, 0.25f);
  std::vector<std::vector<float>> products(threads, std::vector<float>(side * side));
  const double seconds = MedianSeconds(options.repetitions, [&] {
    InParallel(threads, [&](int thread) { MultiplyMatrices(side, a, b, &products[thread]); });
  });
  Set(device->mutable_flops_per_second(), threads * static_cast<double>(ProductFlops(side)) / seconds,
      absl::StrCat("measured by str calibrate: median of ", options.repetitions, " products of float32 matrices of ",
                   side, " x ", side, " on each of ", threads, " threads"));
}

}  // namespace

config::DeviceFile Calibrate(const CalibrationOptions& options) {
  const int threads = std::max(1u, std::thread::hardware_concurrency());
  config::DeviceFile device;
  device.set_format_version(1);
  device.set_name(absl::StrCat("CPU of this machine, ", threads, threads == 1 ? " thread" : " threads"));
  device.set_memory_bytes(static_cast<int64_t>(sysconf(_SC_PAGE_SIZE)) * sysconf(_SC_PHYS_PAGES));
  // The device's memory is the host's.
  device.mutable_host()->set_memory_bytes(device.memory_bytes());
  MeasureCopies(options, &device);
  MeasureMemory(options, threads, &device);
  MeasureComputing(options, threads, &device);
  return device;
}

}  // namespace str::optimizer
