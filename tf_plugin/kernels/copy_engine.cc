#include "tf_plugin/kernels/copy_engine.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <thread>
#include <utility>
#include <vector>

#include "absl/synchronization/notification.h"
#include "absl/time/clock.h"
#include "tf_plugin/kernels/host_pool.h"

namespace str::kernels {
namespace {

constexpr int64_t kProbeBytes = int64_t{32} << 20;
constexpr int kProbes = 5;

struct Probes {
  absl::Mutex mutex;
  std::map<std::string, std::function<CopyRates()>> by_device ABSL_GUARDED_BY(mutex);
};

Probes& AllProbes() {
  static Probes* const probes = new Probes;
  return *probes;
}

}  // namespace

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

namespace {

CopyRates MeasureEngine() {
  const HostBuffer host = HostPool::Get().Take(kProbeBytes);
  std::vector<char> device(kProbeBytes, 1);
  const auto median_rate = [&](Direction direction) {
    std::vector<int64_t> times_ns;
    for (int i = 0; i < kProbes; ++i) {
      auto transfer = std::make_shared<Transfer>();
      absl::Notification done;
      const int64_t start_ns = absl::GetCurrentTimeNanos();
      CopyEngine::Get().Enqueue(
          direction,
          [&] {
            if (direction == Direction::kOut) {
              std::memcpy(host.data(), device.data(), kProbeBytes);
            } else {
              std::memcpy(device.data(), host.data(), kProbeBytes);
            }
            return absl::OkStatus();
          },
          transfer);
      transfer->OnDone([&done](const absl::Status&) { done.Notify(); });
      done.WaitForNotification();
      times_ns.push_back(std::max<int64_t>(1, absl::GetCurrentTimeNanos() - start_ns));
    }
    std::sort(times_ns.begin(), times_ns.end());
    return static_cast<int64_t>(kProbeBytes * 1e9 / times_ns[kProbes / 2]);
  };
  return {median_rate(Direction::kOut), median_rate(Direction::kIn)};
}

}  // namespace

void SetCopyProbe(const std::string& device, std::function<CopyRates()> probe) {
  Probes& all = AllProbes();
  absl::MutexLock lock(&all.mutex);
  all.by_device[device] = std::move(probe);
}

CopyRates MeasureCopyRates(const std::string& device) {
  std::function<CopyRates()> probe;
  {
    Probes& all = AllProbes();
    absl::MutexLock lock(&all.mutex);
    const auto found = all.by_device.find(device);
    if (found != all.by_device.end()) probe = found->second;
  }
  return probe != nullptr ? probe() : MeasureEngine();
}

}  // namespace str::kernels
